/** Must be imported before graphql and other libraries that do expensive development checks unless NODE_ENV is `production`. */
process.env.NODE_ENV ??= 'production';
