/** Tells the editor where its workers are. */
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/graphiql/${{ graphql: 'graphql', json: 'json' }[label] ?? 'editor'}.worker.js`,
};
