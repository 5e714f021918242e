/**
 * Attacks on what all clients share, for several seconds, from one network and with one account. Another client, which has its own, reads and
 * writes meanwhile: none of its requests fails, and its median stays in proportion to that of the same run without an attack.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { startAiProvider } from '../support/ai-provider.js';
import { freshDatabase } from '../support/database.js';
import { type HttpRequest, send } from './http.js';
import { AI_DAILY_BUDGET, FIRST_HOSTILE_MARKDOWN, type Journal, ORDINARY_ARTICLE, seedJournal } from './journal.js';
import { type OrdinaryRequest, startOtherClient, type Waits } from './other-client.js';
import { bearer, graphqlPost, JSON_TYPE, restPost, times } from './requests.js';
import { AttackedService } from './service.js';

/** Number of articles with tags, and of tags. */
const TAGGED = 600;
const TAGS = 60;
const BASELINE_MS = 3_000;
const ATTACK_MS = 5_000;
const MAX_WAIT_MS = 7_000;
/** Of the median without an attack: five times the largest measured ratio, 2.3. The goal is 5. Without shares it is above 100. */
const MAX_FACTOR = 12;
/** Of the median without an attack, below which the precision of timers and the load of the machine matter more. */
const MIN_BASELINE_MS = 10;

/** Sends requests until the signal is aborted. */
type Attack = (url: string, journal: Journal, signal: AbortSignal) => Promise<Record<string, number>>;

describe('One network and account', function () {
  this.timeout(300_000);
  // The load of the machine may change between the two measurements. The output has the results of all attempts.
  this.retries(1);
  let service: AttackedService;
  let journal: Journal;
  let baseline: Waits[];
  const report: string[] = [];

  before(async () => {
    const databaseUrl = await freshDatabase('daybook_shares');
    const provider = await startAiProvider();
    service = await AttackedService.start(databaseUrl, {
      ...provider.environment,
      AI_DAILY_BUDGET: String(AI_DAILY_BUDGET),
      LIMIT_WRITES: '1000000/10m',
      LIMIT_WRITE_BYTES: '1000MB/1d',
    });
    await provider.close();
    journal = await seedJournal(service.url, databaseUrl, provider, 0);
    await addTaggedArticles(databaseUrl, journal.author.id);
    await measure(1_000);
    baseline = await measure(BASELINE_MS);
    report.push(`without an attack: ${describeWaits(baseline)}`);
  });
  after(async () => {
    await service.stop();
    process.stdout.write(`\n${report.join('\n')}\n`);
  });

  const attacks: Record<string, Attack> = {
    'that pipelines documents of 30 statements each': countTags,
    'that writes long articles on 12 connections': writeArticles(12),
    'that writes long articles on 24 connections': writeArticles(24),
    'that does all of this, and repeats slow changes with keys': (...attack) =>
      Promise.all([countTags(...attack), writeArticles(12)(...attack), keyedComments(...attack)]).then(sumOf),
  };

  for (const [name, attack] of Object.entries(attacks)) {
    it(`${name} does not delay others`, async () => {
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      const attacking = attack(service.url, journal, controller.signal);
      const waits = await measure(ATTACK_MS);
      controller.abort();
      const outcomes = await attacking;
      report.push(`${name}: ${describeWaits(waits)}; ${JSON.stringify(outcomes)}`);
      expect(
        Object.values(outcomes).reduce((sum, count) => sum + count, 0),
        'requests of the attack',
      ).to.be.above(0);
      for (const { name, failures, medianMs } of waits) {
        expect(failures, `failures of the other client's ${name}`).to.deep.equal([]);
        const usualMs = baseline.find((one) => one.name === name)?.medianMs ?? 0;
        const maxMs = MAX_FACTOR * Math.max(usualMs, MIN_BASELINE_MS);
        expect(medianMs, `median of ${name}, ${usualMs} ms without an attack`).to.be.at.most(maxMs);
      }
      // The next attack starts from an idle service.
      await sleep(1_000);
    });
  }

  async function measure(ms: number): Promise<Waits[]> {
    const other = await startOtherClient(service.url, ordinaryRequests(journal));
    await sleep(ms);
    return other.stop();
  }
});

function ordinaryRequests({ other }: Journal): OrdinaryRequest[] {
  const usual = { everyMs: 25, maxWaitMs: MAX_WAIT_MS };
  const comments = `/api/articles/${ORDINARY_ARTICLE}/comments`;
  const lists = times(50, (n) =>
    JSON.stringify({ query: `{ articles(size: 5, page: ${n + 1}) { contents { title } } }` }),
  );
  return [
    { name: 'page', method: 'GET', path: comments, ...usual },
    { name: 'list', path: '/graphql', headers: JSON_TYPE, bodies: lists, ...usual },
    { name: 'own data', method: 'GET', path: '/api/members/me', headers: bearer(other.token), ...usual },
    { name: 'comment', ...restPost(comments, { content: 'A comment.' }, other.token), ...usual },
  ];
}

/** Five connections with four requests each, the most that one connection may have in progress, whose responses are read. */
async function countTags(url: string, _journal: Journal, signal: AbortSignal): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  let round = 0;
  const document = () => {
    const first = round++ * 30;
    const fields = times(
      30,
      (n) => `a${n}: articles(size: 1, filter: { tag: "tag ${(first + n) % TAGS}" }) { pagination { totalElements } }`,
    );
    return JSON.stringify({ query: `{ ${fields.join(' ')} }` });
  };
  const { hostname, port } = new URL(url);
  const pipeline = async () => {
    while (!signal.aborted) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      const abort = () => socket.destroy();
      signal.addEventListener('abort', abort);
      const request = () => {
        const body = document();
        return `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      };
      socket.write(times(4, request).join(''));
      outcomes.sent = (outcomes.sent ?? 0) + 4;
      socket.on('data', (chunk) => {
        for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          outcomes[status] = (outcomes[status] ?? 0) + 1;
          socket.write(request());
        }
      });
      await new Promise((resolve) => socket.once('close', resolve));
      signal.removeEventListener('abort', abort);
    }
  };
  await Promise.all(times(5, pipeline));
  return outcomes;
}

function writeArticles(connections: number): Attack {
  let round = 0;
  return repeatedly(connections, ({ attacker }) => {
    round++;
    const content = times(8_200, (n) =>
      createHash('sha256').update(`${connections} ${round} ${n}`).digest('base64url').slice(0, 11),
    )
      .join(' ')
      .slice(0, 98_000);
    return restPost('/api/articles', { title: `Words ${round}`, content }, attacker.token);
  });
}

/** Comments with keys, whose response needs articles that take the longest to render. */
const keyedComments: Attack = repeatedly(14, ({ attacker }, n) => {
  const id = FIRST_HOSTILE_MARKDOWN + (n % 8);
  const request = graphqlPost(
    {
      query: `mutation { createComment(input: { articleId: ${id}, content: "A comment" }) { id article { contentHtml } } }`,
      extensions: { clientLibrary: { name: '@apollo/client', version: '4.0.0' } },
    },
    attacker.token,
  );
  return { ...request, headers: { ...request.headers, 'Idempotency-Key': `key-${n}` } };
});

function repeatedly(connections: number, make: (journal: Journal, round: number) => HttpRequest): Attack {
  return async (url, journal, signal) => {
    const agent = new Agent({ keepAlive: true });
    const outcomes: Record<string, number> = {};
    let round = 0;
    await Promise.all(
      times(connections, async () => {
        while (!signal.aborted) {
          const { label, ms } = await send(url, make(journal, round++), agent);
          outcomes[label] = (outcomes[label] ?? 0) + 1;
          // A rejected request is repeated, but not in a loop that occupies this process.
          if (ms < 10) await sleep(10);
        }
      }),
    );
    agent.destroy();
    return outcomes;
  };
}

function sumOf(all: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [label, count] of all.flatMap((one) => Object.entries(one))) sum[label] = (sum[label] ?? 0) + count;
  return sum;
}

async function addTaggedArticles(databaseUrl: string, authorId: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(TAGGED_ARTICLES, [authorId, TAGGED, TAGS]);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const TAGGED_ARTICLES = `
with added as (
  insert into articles (slug, member_id, category_id, title, content)
  select gen_random_uuid(), $1, (select id from categories where member_id = $1 and is_default), 'Tagged ' || n, 'An ordinary text.'
  from generate_series(1, $2::int) n returning id
), named as (
  insert into tags (name) select 'tag ' || n from generate_series(0, $3::int - 1) n returning id, name
)
insert into article_tags (article_id, tag_id, position)
select added.id, named.id, 0 from added join named on named.name = 'tag ' || added.id % $3`;

function describeWaits(waits: readonly Waits[]): string {
  return waits
    .map(({ name, requests, medianMs, longestMs }) => {
      return `${name} ${medianMs.toFixed(1)} ms (${requests} requests, at most ${longestMs.toFixed(0)} ms)`;
    })
    .join(', ');
}
