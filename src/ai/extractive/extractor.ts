/** Summaries and tags without any provider: the most telling sentences of the text itself, found in a thread. */
import type { Summary } from '../../models/summary.js';
import { Thread } from '../../thread.js';
import { ProviderFailure } from '../failure.js';

/** Goes up with every change of what comes out. */
export const EXTRACT_VERSION = 1;

/** Milliseconds. The longest article takes some hundred. */
const TIME_LIMIT = 10_000;

const thread = new Thread<string, Summary>({
  script: new URL('./worker.js', import.meta.url),
  timeLimit: TIME_LIMIT,
  memory: 256,
});
/** The one before. Few wait: no more jobs run at a time. */
let last: Promise<unknown> = Promise.resolve();

/** The same text has the same summary. @throws ProviderFailure where it takes too long */
export async function extractSummary(content: string): Promise<Summary> {
  const turn = last.then(() => thread.run(content));
  last = turn.catch(() => {});
  const summary = await turn;
  if (!summary) throw new ProviderFailure('unreadable');
  return summary;
}

export function stopExtractor(): Promise<void> {
  return thread.stop();
}
