/** The page of links in emails: it uses the token of the link when the person presses the button, or requests another link. */
import { TEXTS } from './link-texts.js';
import { act, one, report, translate } from './page.js';

const { language, texts } = translate(TEXTS);
const purpose = location.pathname.split('/').at(-1);

/** The path that uses the token, and the one that requests another link, of each page. */
const PATHS = {
  reset: { use: '/auth/password/reset', request: '/auth/password/forgot' },
  confirm: { use: '/auth/email/confirm', request: '/auth/email/resend' },
  undo: { use: '/auth/email/undo' },
};
const paths = PATHS[purpose];
/** Kept in memory only. */
let token = null;
/** Whether the token needs a new password: always for `reset`, and for the confirmation of an address that was registered more than once. */
let needsPassword = purpose === 'reset';

one('#title').textContent = document.title = texts[purpose].title;
one('#act').textContent = texts[purpose].act ?? '';
one('#show').addEventListener('change', ({ target }) => {
  one('#password').elements.password.type = target.checked ? 'text' : 'password';
});
onSubmit('#password', use);
onSubmit('#use', use);
onSubmit('#request', (fields) => send(paths.request, fields));
addEventListener('hashchange', begin);
begin();

/** Takes the token out of the address, so that it is not in the history, in bookmarks and on screenshots. */
function begin() {
  if (location.hash) {
    token = new URLSearchParams(location.hash.slice(1)).get('token');
    history.replaceState(null, '', location.pathname);
  }
  needsPassword = purpose === 'reset';
  one('#next').hidden = true;
  one('#password').reset();
  one('#password').elements.password.type = 'password';
  report('');
  show();
}

/** The form for the token; without one, the form that requests a link. */
function show() {
  one('#password').hidden = !token || !needsPassword;
  one('#use').hidden = !token || needsPassword;
  one('#request').hidden = Boolean(token) || !paths.request;
  const { lead, request } = texts[purpose];
  one('#lead').textContent = token ? lead : request;
}

function onSubmit(selector, work) {
  const form = one(selector);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const submit = async () => {
      const message = await work(Object.fromEntries(new FormData(form)));
      form.reset();
      form.hidden = true;
      one('#lead').textContent = '';
      return message;
    };
    act(submit, (error) => error.message);
  });
}

async function use(fields) {
  const message = await send(paths.use, { token, ...fields });
  token = null;
  one('#next').hidden = purpose !== 'undo';
  return message;
}

/** @returns the message of the response */
async function send(path, json) {
  const headers = { 'Accept-Language': language, 'Content-Type': 'application/json' };
  const sent = fetch(`/api${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  const { code, message, data } = await sent
    .then((response) => response.json())
    .catch(() => {
      throw new Error(texts.unreachable);
    });
  if (code === '1') return message;
  if (code === 'TOKEN_INVALID') {
    token = null;
    show();
  }
  if (!needsPassword && data.errors?.some(({ field }) => field === 'password')) {
    needsPassword = true;
    show();
    throw new Error(texts[purpose].again);
  }
  throw new Error(
    data.errors?.map((error) => `${texts[error.field] ?? error.field}: ${error.message}`).join('; ') ?? message,
  );
}
