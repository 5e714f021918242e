/** Counts the SQL statements that go out while something runs. */
import { statements } from '../../src/database/observed-client.js';

/** @returns the texts of the statements, in order */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const listen = (message: unknown) => {
    const { text } = message as { text: string };
    // A connection that happens to be opened meanwhile sets itself up.
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
