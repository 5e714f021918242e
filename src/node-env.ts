/** Imported first by the process: graphql and others check their callers' mistakes at every step unless NODE_ENV says otherwise. */
process.env.NODE_ENV ??= 'production';
