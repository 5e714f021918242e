/** Counts the SQL statements that go out while something runs. */
import { statements } from '../../src/models/database.js';

/** @returns the texts of the statements, in order */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const listen = (message: unknown) => texts.push((message as { text: string }).text);
  statements.subscribe(listen);
  try {
    await work();
  } finally {
    statements.unsubscribe(listen);
  }
  return texts;
}
