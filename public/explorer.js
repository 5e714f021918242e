/** Starts the explorer. Sends operations with the token in the token field, which a login fills in. */
const ENDPOINT = '/graphql';
const KEPT_AS = 'daybook.accessToken';
const field = document.querySelector('#token');
const who = document.querySelector('#who');
const send = self.fetch.bind(self);

// sessionStorage: only for this browser tab, until it is closed.
field.value = sessionStorage.getItem(KEPT_AS) ?? '';
field.addEventListener('input', keep);
field.form.addEventListener('submit', (event) => event.preventDefault());
self.fetch = fetchAsMember;
showMember();

YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#explorer'), {
  title: ' ',
  logo: ' ',
  endpoint: ENDPOINT,
  subscriptionsProtocol: 'WS',
  connectionParams: authorization,
  // Headers contain tokens, which must not be stored permanently.
  shouldPersistHeaders: false,
  // Without them, those of the first tab are not sent until it has been left. Stored tabs have their own.
  variables: localStorage.getItem('graphiql:tabState') ? undefined : EXAMPLES[0].variables,
  defaultTabs: EXAMPLES,
});
new MutationObserver(describeTabs).observe(document.querySelector('#explorer'), {
  subtree: true,
  childList: true,
  attributeFilter: ['aria-selected'],
});

/** An element with the role `tab` must not contain buttons: the tabs become a list of buttons. */
function describeTabs() {
  document.querySelector('.graphiql-tabs')?.setAttribute('role', 'list');
  for (const tab of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
    const isCurrent = tab.getAttribute('aria-selected') === 'true';
    tab.removeAttribute('aria-selected');
    tab.setAttribute('role', 'listitem');
    tab.querySelector('.graphiql-tab-button').setAttribute('aria-current', String(isCurrent));
  }
}

function keep() {
  sessionStorage.setItem(KEPT_AS, field.value.trim());
  showMember();
}

function authorization() {
  const token = field.value.trim();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** An Authorization header from the header editor has precedence over the field. */
async function fetchAsMember(input, init) {
  const url = new URL(input instanceof Request ? input.url : input, location.href);
  if (url.pathname !== ENDPOINT) return send(input, init);
  const given = new Headers(init?.headers);
  if (!given.has('Authorization')) {
    for (const [name, value] of Object.entries(authorization())) given.set(name, value);
  }
  const response = await send(input, { ...init, headers: given });
  takeToken(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  return response;
}

/** Stores the access token of a login, under any alias. */
function takeToken(answer) {
  for (const value of Object.values(answer?.data ?? {})) {
    if (typeof value?.accessToken !== 'string') continue;
    field.value = value.accessToken;
    keep();
  }
}

/** Shows the nickname of the member, or the error for an invalid token. */
async function showMember() {
  const headers = authorization();
  if (!headers.Authorization) {
    who.value = '';
    return;
  }
  const body = JSON.stringify({ query: '{ me { nickname } }' });
  const request = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
  const answer = await send(ENDPOINT, request)
    .then((response) => response.json())
    .catch(() => null);
  who.value = answer?.data?.me?.nickname ?? answer?.errors?.[0]?.message ?? '';
}
