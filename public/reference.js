/** Shows the REST reference. The access token of a login or refresh is used for subsequent requests. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

let reference;
showReference(await (await fetch('/openapi.json')).json());

function showReference(description) {
  reference = SwaggerUIBundle({
    spec: withoutOptionalExamples(description),
    dom_id: '#reference',
    deepLinking: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    responseInterceptor: takeToken,
  });
}

/** Removes the examples of optional parameters, which would become values of the form and filter the first response. */
function withoutOptionalExamples(description) {
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  const parameters = [
    ...operations.flatMap((operation) => operation.parameters ?? []),
    ...Object.values(description.components.parameters ?? {}),
  ];
  for (const parameter of parameters) if (!parameter.required) delete parameter.example;
  return description;
}

function takeToken(response) {
  const token = response.body?.data?.accessToken;
  if (token) reference.preauthorizeApiKey('bearer', token);
  return response;
}
