/** An error that the operator of the service can fix: the message is complete without a stack trace. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
