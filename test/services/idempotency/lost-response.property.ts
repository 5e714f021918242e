/** Random changes of which some responses are lost and some requests are repeated: the data is the same as without these faults. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { casesOf } from '../../support/tier.js';

const RUNS = casesOf('IDEMPOTENCY_RUNS', 2, 6);
const SEED = Number(process.env.IDEMPOTENCY_SEED ?? 20_261_122);
const STEPS = 12;

const app = useApp({ LIMIT_WRITES: '1000000/1m', LIMIT_WRITE_BYTES: '1GB/1d' });

/** What a member has created, in the order of creation. */
interface Owned {
  articles: number[];
  comments: number[];
  categories: number[];
}

interface Change {
  readonly target: string;
  readonly json?: object;
  readonly ifMatch?: string;
  /** The list that the id in the response is added to. */
  readonly creates?: keyof Owned;
}

/** The change that a number selects; it refers to the objects of the member by their position. */
const CHANGES: readonly ((owned: Owned, number: number) => Change)[] = [
  (_, number) => ({
    target: 'POST /api/articles',
    json: { title: `Article ${number}`, content: 'Calm.', tags: [`t${number % 3}`] },
    creates: 'articles',
  }),
  ({ articles }, number) => ({
    target: `PUT /api/articles/${at(articles, number)}`,
    json: { title: `Edited ${number}`, content: `Rough ${number}.` },
    ...(number % 2 === 1 && { ifMatch: `"${1 + (number % 3)}"` }),
  }),
  ({ articles }, number) => ({ target: `DELETE /api/articles/${at(articles, number)}` }),
  ({ articles }, number) => ({
    target: `POST /api/articles/${at(articles, number)}/comments`,
    json: { content: `Comment ${number}` },
    creates: 'comments',
  }),
  ({ articles, comments }, number) => ({
    target: `POST /api/articles/${at(articles, number)}/comments`,
    json: { content: `Reply ${number}`, parentCommentId: at(comments, number) },
    creates: 'comments',
  }),
  ({ comments }, number) => ({
    target: `PATCH /api/comments/${at(comments, number)}`,
    json: { content: `Reworded ${number}` },
  }),
  ({ comments }, number) => ({ target: `DELETE /api/comments/${at(comments, number)}` }),
  (_, number) => ({
    target: 'POST /api/categories',
    json: { categoryName: `Shelf ${number % 4}` },
    creates: 'categories',
  }),
  ({ categories }, number) => ({ target: `DELETE /api/categories/${at(categories, number)}` }),
  // Without a body it toggles, so that a repetition would undo it.
  () => ({ target: 'PUT /api/members/me/notification-settings/REPLY' }),
];

/** 999999 names nothing. */
const at = (ids: readonly number[], number: number) => ids[number % Math.max(ids.length, 1)] ?? 999_999;

/** How a request and its repetitions reach the service. */
const FAULTS: readonly ((send: (signal?: AbortSignal) => Promise<Response>, delayMs: number) => Promise<Response>)[] = [
  (send) => send(),
  async (send) => {
    await (await send()).text();
    return send();
  },
  async (send, delayMs) => {
    const client = new AbortController();
    const lost = send(client.signal).catch(() => {});
    await sleep(delayMs);
    client.abort();
    const response = await send();
    await lost;
    return response;
  },
  async (send) => {
    const [first, second, third] = await Promise.all([send(), send(), send()]);
    const texts = [await first?.text(), await second?.text(), await third?.clone().text()];
    const isSuccess = [first, second, third].some((response) => response?.ok);
    if (isSuccess) expect(new Set(texts).size, texts.join('\n')).to.equal(1);
    return third as Response;
  },
];

type Step = readonly [change: number, number: number, fault: number, delayMs: number];

async function run(member: BuiltMember, steps: readonly Step[], isFaulty: boolean): Promise<string[]> {
  const owned: Owned = { articles: [], comments: [], categories: [] };
  const outcomes: string[] = [];
  for (const [change, number, fault, delayMs] of steps) {
    const { target, json, ifMatch, creates } = (CHANGES[change] as (typeof CHANGES)[number])(owned, number);
    const [method = '', path = ''] = target.split(' ');
    const headers = {
      Authorization: `Bearer ${member.token}`,
      ...(isFaulty && { 'Idempotency-Key': randomUUID() }),
      ...(json && { 'Content-Type': 'application/json' }),
      ...(ifMatch && { 'If-Match': ifMatch }),
    };
    const send = (signal?: AbortSignal) =>
      fetch(app.url + path, { method, headers, ...(json && { body: JSON.stringify(json) }), signal: signal ?? null });
    const response = await (isFaulty ? (FAULTS[fault] as (typeof FAULTS)[number])(send, delayMs) : send());
    const { code, data } = (await response.json()) as { code: string; data: { id: number } };
    outcomes.push(`${method} ${response.status} ${code}`);
    if (creates && response.ok) owned[creates].push(data.id);
  }
  return outcomes;
}

/** The data of the member, with positions in place of ids. */
async function dataOf({ id }: BuiltMember): Promise<unknown> {
  const queries = [
    `select a.title, a.content, a.revision, k.name as category,
       array(select t.name from article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by position) as tags,
       a.comment_count, (select revision from article_summaries s where s.article_id = a.id) as summaries
     from articles a join categories k on k.id = a.category_id where a.member_id = ${id} order by a.id`,
    `select c.content, c.revision, c.reply_count, c.deleted_at is null as lives,
       (select count(*) from comments p where p.article_id = c.article_id and p.id < c.parent_id)::int as parent
     from comments c join articles a on a.id = c.article_id where a.member_id = ${id} order by c.id`,
    `select name from categories where member_id = ${id} order by name`,
    `select type, enabled from notification_settings where member_id = ${id} order by type`,
  ];
  return Promise.all(queries.map(async (query) => (await app.database.sequelize.query(query))[0]));
}

describe(`${RUNS} random sequences of changes (seed ${SEED})`, function () {
  this.timeout(60_000 + RUNS * 10_000);

  it('leave the same data with lost responses and retries as without', async () => {
    const step = fc.tuple(fc.nat(CHANGES.length - 1), fc.nat(9), fc.nat(FAULTS.length - 1), fc.nat(8));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: STEPS, size: 'max' }), async (steps) => {
        const [plain, faulty] = [await buildMember(app.url), await buildMember(app.url)];
        const outcomes = await run(plain, steps, false);
        expect(await run(faulty, steps, true)).to.deep.equal(outcomes);
        expect(await dataOf(faulty)).to.deep.equal(await dataOf(plain));
      }),
      { numRuns: RUNS, seed: SEED, interruptAfterTimeLimit: 60_000 + RUNS * 5_000 },
    );
  });
});
