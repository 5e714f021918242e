/** Sets the URLs of the editor's web workers. */
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/graphiql/${{ graphql: 'graphql', json: 'json' }[label] ?? 'editor'}.worker.js`,
};
