/** Shows the REST reference. The access token of a login or refresh is used for subsequent requests. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

let reference;
new MutationObserver(nameControls).observe(document.querySelector('#reference'), { childList: true, subtree: true });
showReference(await (await fetch('/openapi.json')).json());
// Links of the introduction. Swagger UI reads the fragment only when it starts.
addEventListener('hashchange', () => reference.getSystem().layoutActions.parseDeepLinkHash(location.hash));

function showReference(description) {
  reference = SwaggerUIBundle({
    spec: prefilled(description),
    dom_id: '#reference',
    deepLinking: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    plugins: [() => ({ wrapComponents: { DeepLink: plainText } })],
    requestInterceptor: replaceEmptyFiles,
    responseInterceptor: takeToken,
  });
}

/** Names the form controls and tables of an opened operation, and lets the keyboard scroll its examples. */
function nameControls() {
  const controls = 'select:not([aria-label], [id]), textarea:not([aria-label]), input[type="file"]:not([aria-label])';
  for (const control of document.querySelectorAll(controls)) {
    const { paramName, propertyName } = control.closest('[data-param-name], [data-property-name]')?.dataset ?? {};
    const other = control.tagName === 'SELECT' ? 'Example' : 'Request body';
    control.setAttribute('aria-label', paramName ?? propertyName ?? other);
  }
  for (const table of document.querySelectorAll('table[role="region"]:not([aria-label])')) {
    table.setAttribute('aria-label', table.id.replaceAll('_', ' '));
  }
  for (const example of document.querySelectorAll('pre.microlight:not([tabindex])')) example.tabIndex = 0;
}

/** The path of an operation without its link: it is inside of a button. */
function plainText(_DeepLink, { React }) {
  return ({ text }) => React.createElement('span', null, text);
}

/**
 * Changes what the forms are filled with: the examples of optional parameters would filter the first response, and the fields of a
 * multipart body would be random text.
 */
function prefilled(description) {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
  // It has one server, the one of this page.
  delete description.servers;
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  const parameters = [
    ...operations.flatMap((operation) => operation.parameters ?? []),
    ...Object.values(description.components.parameters ?? {}),
  ];
  for (const parameter of parameters) if (!parameter.required) delete parameter.example;
  for (const { content } of operations.map(({ requestBody }) => requestBody ?? {})) {
    const example = content?.['application/json']?.example;
    // They name rows that may not exist.
    for (const name of ['category', 'parentCommentId']) delete example?.[name];
    // They have to be within a limit, which no fixed time is.
    for (const name of ['expiresAt', 'publishAt']) if (example?.[name]) example[name] = tomorrow;
    const multipart = content?.['multipart/form-data'];
    // A required file would prevent the request until one is chosen.
    delete multipart?.schema.required;
    if (!multipart?.schema.properties.request) continue;
    multipart.schema.properties.request.example = example;
    delete multipart.example;
  }
  return description;
}

/** The form sends an empty file where none is chosen. A body without other parts needs a file: a gray image. */
function replaceEmptyFiles(request) {
  if (!(request.body instanceof FormData)) return request;
  for (const [name, value] of [...request.body]) if (name === 'file' && !value.size) request.body.delete(name);
  if ([...request.body].length === 0) request.body.append('file', new File([decoded(PNG)], 'gray.png'));
  return request;
}

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAMAAAAoyzS7AAAAA1BMVEWIiIhYZW6zAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAACklEQVQI12NgAAAAAgAB4iG8MwAAAABJRU5ErkJggg==';

const decoded = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function takeToken(response) {
  const token = response.body?.data?.accessToken;
  if (token) reference.preauthorizeApiKey('bearer', token);
  return response;
}
