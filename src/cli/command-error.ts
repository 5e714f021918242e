/** Error messages of the commands. */

/** An expected failure; its message is a sentence for the user, printed unchanged. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** @returns the message in one line, without a full stop */
export function oneLine(error: unknown): string {
  const { message, name, code } = error as Error & { code?: unknown };
  const text = message || (typeof code === 'string' ? code : name) || String(error);
  return text.replace(/\s*\n\s*/g, ' ').replace(/\.$/, '');
}

/** One sentence per line: a ConfigError has one for each invalid setting. */
export function sentences(error: unknown): string {
  const text = error instanceof Error && error.name === 'ConfigError' ? error.message : `${oneLine(error)}.`;
  return `${text}\n`;
}

/** The innermost `cause`: libraries wrap the error that has the useful message. */
export function rootCause(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  return cause instanceof Error && cause !== error ? rootCause(cause) : error;
}
