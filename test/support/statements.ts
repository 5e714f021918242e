/** Records the SQL statements that are sent while a function runs. */
import { statements } from '../../src/database/observed-client.js';

/** @returns the texts of the statements, in order */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const listen = (message: unknown) => {
    const { text } = message as { text: string };
    // Excludes the setup statements of new connections.
    if (!/^(?:SET|SHOW) /.test(text)) texts.push(text);
  };
  statements.subscribe(listen);
  try {
    await work();
  } finally {
    statements.unsubscribe(listen);
  }
  return texts;
}
