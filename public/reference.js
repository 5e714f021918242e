/** Shows the REST reference. Whoever logs in or refreshes there is authorized for what is tried next. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  responseInterceptor(response) {
    const token = response.body?.data?.accessToken;
    if (token) reference.preauthorizeApiKey('bearer', token);
    return response;
  },
});
