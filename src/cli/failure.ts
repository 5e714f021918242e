/** What a command says where it cannot do what it was asked to. */

/** Said as it is: an error whose sentence is meant for whoever gave the command. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** @returns the message in one line, without a full stop */
export function oneLine(error: unknown): string {
  const { message, name, code } = error as Error & { code?: unknown };
  const text = message || (typeof code === 'string' ? code : name) || String(error);
  return text.replace(/\s*\n\s*/g, ' ').replace(/\.$/, '');
}

/** A sentence a line: settings that cannot be have one each. */
export function sentences(error: unknown): string {
  const text = error instanceof Error && error.name === 'ConfigError' ? error.message : `${oneLine(error)}.`;
  return `${text}\n`;
}

/** What an error comes from, as far as it tells: libraries wrap the reason that helps. */
export function rootCause(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  return cause instanceof Error && cause !== error ? rootCause(cause) : error;
}
