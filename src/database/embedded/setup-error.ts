/** An error that whoever runs the service can mend: its message is the whole story, and a stack would only hide it. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
