/** The passkey page: logs in with a passkey or a password; adds, renames and removes passkeys. */
import { act, one, report, translate } from './page.js';
import { getPasskey, makePasskey } from './passkey-ceremonies.js';
import { TEXTS } from './passkey-texts.js';

const { language, texts } = translate(TEXTS);
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
/** Kept in memory only: a reload logs out. */
let token = null;

document.title = one('h1').textContent;
one('#add').elements.name.value = texts.defaultName;
one('#log-in').addEventListener('click', () => act(logInWithPasskey, explain));
one('#log-out').addEventListener('click', () => act(logOut, explain));
onSubmit('#password-login', logInWithPassword);
onSubmit('#add', add);
show();

function onSubmit(selector, work) {
  const form = one(selector);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act(() => work(Object.fromEntries(new FormData(form)), form), explain);
  });
}

/** @param error of WebAuthn, or of the service */
function explain({ name, message }) {
  const known = {
    NotAllowedError: 'cancelled',
    AbortError: 'cancelled',
    InvalidStateError: 'exists',
    SecurityError: 'wrongSite',
  };
  return texts[known[name]] ?? message;
}

async function call(method, path, json) {
  const headers = {
    'Accept-Language': language,
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(json && { 'Content-Type': 'application/json' }),
  };
  const sent = fetch(`/api${path}`, { method, headers, body: json && JSON.stringify(json) });
  const response = await sent.catch(() => {
    throw new Error(texts.unreachable);
  });
  const { code, message, data } = await response.json();
  if (code === '1') return data;
  if (response.status === 401 && token) {
    token = null;
    await show();
  }
  throw new Error(data.errors?.map((error) => `${error.field}: ${error.message}`).join('; ') ?? message);
}

async function logInWithPasskey() {
  const options = await call('POST', '/auth/passkeys/options');
  report(texts.working);
  return enter(await call('POST', '/auth/passkeys/login', { credential: await getPasskey(options) }));
}

async function logInWithPassword(credentials, form) {
  const tokens = await call('POST', '/auth/login', credentials);
  form.reset();
  return enter(tokens);
}

async function enter({ accessToken }) {
  token = accessToken;
  await show();
  return texts.loggedIn;
}

async function logOut() {
  await call('POST', '/auth/logout');
  token = null;
  await show();
  return texts.loggedOut;
}

async function add({ name, password }, form) {
  const options = await call('POST', '/members/me/passkeys/options');
  report(texts.working);
  const credential = await makePasskey(options);
  await call('POST', '/members/me/passkeys', { name, credential, ...(password && { password }) }).catch(
    async (error) => {
      await signalPasskeys().catch(() => {});
      throw error;
    },
  );
  form.elements.password.value = '';
  await show();
  return texts.added;
}

async function rename({ id, name }) {
  const given = await ask('#rename', { name });
  if (!given) return '';
  await call('PATCH', `/members/me/passkeys/${id}`, given);
  await show();
  return texts.renamed;
}

async function remove({ id, name }) {
  one('#removed').textContent = name;
  const given = await ask('#remove', { password: '' });
  if (!given) return '';
  await call('DELETE', `/members/me/passkeys/${id}`, given.password ? given : { password: null });
  await show();
  await signalPasskeys().catch(() => {});
  return texts.removed;
}

/** Reports the current passkeys to the browser (WebAuthn Level 3 §5.1.10), which then does not offer others. */
async function signalPasskeys() {
  const { rp, user, excludeCredentials } = await call('POST', '/members/me/passkeys/options');
  const allAcceptedCredentialIds = excludeCredentials.map(({ id }) => id);
  await PublicKeyCredential.signalAllAcceptedCredentials?.({ rpId: rp.id, userId: user.id, allAcceptedCredentialIds });
}

/** @returns the values of the form of the dialog; null if it was cancelled */
function ask(selector, values) {
  const dialog = one(selector);
  const form = dialog.querySelector('form');
  for (const button of form.querySelectorAll('button')) button.disabled = false;
  for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    const close = () => {
      const given = Object.fromEntries(new FormData(form));
      form.reset();
      resolve(dialog.returnValue ? given : null);
    };
    dialog.addEventListener('close', close, { once: true });
  });
}

async function show() {
  const [member, list] = token
    ? await Promise.all([call('GET', '/members/me'), call('GET', '/members/me/passkeys')])
    : [null, { contents: [] }];
  one('#login').hidden = member !== null;
  one('#account').hidden = member === null;
  one('#nickname').textContent = member?.nickname ?? '';
  one('#empty').hidden = list.contents.length > 0;
  one('#passkeys').replaceChildren(...list.contents.map(item));
  const isSupported = 'PublicKeyCredential' in window;
  one('#log-in').hidden = !isSupported;
  one('#add').hidden = !isSupported;
  if (!isSupported) report(texts.unsupported);
}

function item(passkey) {
  const { name, createdAt, lastUsedAt, backedUp } = passkey;
  // Times of the service are in UTC, without a designator.
  const date = (time) => dates.format(new Date(`${time}Z`));
  const used = lastUsedAt ? texts.used(date(lastUsedAt)) : texts.neverUsed;
  const details = [texts.created(date(createdAt)), used, ...(backedUp ? [texts.backedUp] : [])];
  const about = element('div', element('strong', name), element('small', details.join(' · ')));
  const button = (key, work) => {
    const made = element('button', texts[key]);
    made.type = 'button';
    made.setAttribute('aria-label', `${texts[key]}: ${name}`);
    made.addEventListener('click', () => act(() => work(passkey), explain));
    return made;
  };
  return element('li', about, button('rename', rename), button('remove', remove));
}

function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}
