/** Login with a passkey, and new passkeys. */
import { post, reasonOf, reloadParts } from './page';

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

async function send(fields: Record<string, string>): Promise<never> {
  const answer = await post('/passkeys', formOf(fields));
  if (!answer || answer.status >= 400) throw new Error(reasonOf(answer?.data ?? {}));
  return answer.data as never;
}

/** @returns what to tell the member; empty if it succeeded */
async function attempt(action: () => Promise<void>, failed: string): Promise<string> {
  try {
    await action();
    return '';
  } catch (error) {
    // The browser says only that it was not allowed, or was cancelled.
    return error instanceof DOMException ? failed : (error as Error).message;
  }
}

const login = document.querySelector<HTMLButtonElement>('[data-passkey-login]');
const add = document.querySelector<HTMLFormElement>('[data-passkey-add]');
const isAvailable = 'PublicKeyCredential' in self && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

if (login && isAvailable) {
  login.hidden = false;
  login.addEventListener('click', async () => {
    const status = document.getElementById('passkey-status');
    const text = await attempt(async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await send({ do: 'login-options' }));
      const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
      await send({ do: 'login', credential: JSON.stringify(credential.toJSON()) });
      location.href = login.dataset.next ?? '/';
    }, login.dataset.failed ?? '');
    if (status) status.textContent = text;
  });
}

if (add && isAvailable) {
  add.hidden = false;
  add.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { name, password } = Object.fromEntries(new FormData(add)) as Record<string, string>;
    const text = await attempt(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await send({ do: 'options' }));
      const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
      await send({
        do: 'create',
        name: name ?? '',
        password: password ?? '',
        credential: JSON.stringify(credential.toJSON()),
      });
      add.reset();
      await reloadParts();
    }, add.dataset.failed ?? '');
    const output = add.querySelector('output');
    if (output) output.textContent = text;
  });
}
