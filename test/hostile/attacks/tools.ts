/** Calls of the tools for agents: many at once, and large ones. */
import type { Attack } from '../attack.js';
import { ARTICLES_WITHOUT_BLANKS, FIRST_ARTICLE_WITHOUT_BLANKS, LONG_ARTICLE, ORDINARY_ARTICLE } from '../journal.js';
import type { OrdinaryRequest } from '../other-client.js';
import { times, toolCall } from '../requests.js';

/** As that of other work that all clients share (shared-work.ts). */
const FAIR_MS = 7_000;

const reading = (): OrdinaryRequest => ({
  ...toolCall('read_article', { articleId: ORDINARY_ARTICLE }),
  name: 'tool',
  everyMs: 250,
  maxWaitMs: FAIR_MS,
});

const [CALLS, PARALLEL] = [1_000, 1_000];

/** The second one where the system lets fewer connections wait to be accepted: the client sends some requests again later. */
const expected = ['200', '408 REQUEST_TIMEOUT'];

export const toolAttacks: Readonly<Record<string, Attack>> = {
  '1,000 calls of a tool at once, each of which reads a long text': {
    parallel: PARALLEL,
    requests: () =>
      times(CALLS, (n) =>
        toolCall('read_article', { articleId: FIRST_ARTICLE_WITHOUT_BLANKS + (n % ARTICLES_WITHOUT_BLANKS) }),
      ),
    others: () => [reading()],
    expected,
    required: '200',
  },
  '1,000 searches with a tool at once by one member': {
    parallel: PARALLEL,
    requests: ({ attacker }) =>
      times(CALLS, (n) => toolCall('search_articles', { keyword: `a${n % 20} b`, size: 100 }, attacker.token)),
    others: () => [reading()],
    expected,
    required: '200',
  },
  '1,000 lists of 10,000 comments and replies with a tool at once': {
    parallel: PARALLEL,
    requests: () => times(CALLS, () => toolCall('read_comments', { articleId: LONG_ARTICLE, size: 100 })),
    others: () => [reading()],
    expected,
    required: '200',
  },
  '200 calls of a tool with arguments of a megabyte': {
    parallel: 50,
    requests: ({ attacker }) =>
      times(200, (n) =>
        toolCall('save_draft', { title: 'x', content: 'x'.repeat(1_040_000), requestId: `${n}` }, attacker.token),
      ),
    others: () => [reading()],
    expected: ['200', '413 PAYLOAD_TOO_LARGE'],
  },
};
