/**
 * Accounts of one network, or as many clients of it without a token, that ask for expensive work at the same time. A member of another network reads
 * and writes meanwhile: none of its requests fails, and their medians stay in proportion to those without an attack.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Agent, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type AiProvider, respond, startAiProvider } from '../support/ai-provider.js';
import { type BuiltMember, buildMember } from '../support/build.js';
import { freshDatabase } from '../support/database.js';
import { flat } from '../support/images.js';
import { filePart, multipart } from '../support/multipart.js';
import { until } from '../support/until.js';
import { type HttpRequest, send } from './http.js';
import { LONG_ARTICLE, ORDINARY_ARTICLE, seedJournal } from './journal.js';
import { type OrdinaryRequest, startOtherClient, type Waits } from './other-client.js';
import { bearer, graphqlGet, graphqlPost, JSON_TYPE, restPost, times, toolCall } from './requests.js';
import { AttackedService } from './service.js';

const BASELINE_MS = 2_000;
const ATTACK_MS = 4_000;
const READ_MS = 2_500;
const MAX_WAIT_MS = 12_000;
const MAX_FACTOR = 5;
/** Of the median without an attack, below which the precision of timers and the load of the machine matter more. */
const MIN_BASELINE_MS = 20;
const ACCOUNTS = 20;
/** The time of the AI provider for a text. */
const PROVIDER_MS = 200;
/** Articles without HTML that take the maximum time to render: more than all attacks request. */
const UNRENDERED = 250;
const LONG_TEXTS = 60;
/** Long texts of each account. */
const ARCHIVED = 10;
const OTHER_ADDRESS = '203.0.113.9';

interface Attacker {
  /** Undefined without a token. */
  readonly member?: BuiltMember;
  /** Of the account, with 96,000 characters each. */
  readonly shownId: number;
  readonly editedId: number;
}

type Attack = (attacker: Attacker, round: number) => HttpRequest;

interface Clients {
  readonly name: string;
  readonly count: number;
  readonly addressOf: (index: number) => string;
  readonly haveAccounts: boolean;
  /** Default: two of each client. */
  readonly connections?: number;
  /** Each attack alone is that of more accounts. */
  readonly onlyTogether?: boolean;
  /** In place of all others. */
  readonly only?: Readonly<Record<string, Attack>> | undefined;
}

let sent = 0;
let requestedHtml = 0;
/** Ids of articles without HTML. */
let unrendered: readonly number[] = [];
/** Ids of articles with 99,000 characters of three bytes each, their author, and the cursor of the feed of changes before them. */
let longTexts: readonly number[] = [];
let slugs: readonly string[] = [];
let authorOfLongTexts = 0;
let beforeLongTexts = '';

const longText = (n: number) => `Text ${n} ${'가나다라 마바사.\n\n'.repeat(8_990)}`;

const get = (path: string, member?: BuiltMember): HttpRequest => ({
  method: 'GET',
  path,
  headers: member ? bearer(member.token) : {},
});

const changesSince = (cursor: string) => `/api/changes?include=data&size=50&types=article&since=${cursor}`;

const pageOfLongTexts = () =>
  `{ articles(filter: { memberId: ${authorOfLongTexts} }, size: 50) { contents { content } } }`;

const withHeaders = (headers: OutgoingHttpHeaders, request: HttpRequest): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

const textOfRound = (round: number) => longTexts[round % longTexts.length];

/** Of articles that no cache has: responses of up to 15 MB. */
const withLongTexts: Record<string, Attack> = {
  'pages of changes': ({ member }) => get(changesSince(beforeLongTexts), member),
  'pages of articles': ({ member }) => graphqlPost({ query: pageOfLongTexts() }, member?.token),
  'Markdown files under aliases': ({ member }) =>
    graphqlPost(
      { query: `{ ${times(30, (n) => `a${n}: article(id: ${textOfRound(n)}) { markdown }`).join(' ')} }` },
      member?.token,
    ),
  'single articles': ({ member }, round) => get(`/api/articles/${textOfRound(round)}`, member),
  'compressed articles': ({ member }, round) =>
    withHeaders({ 'Accept-Encoding': 'br' }, get(`/api/articles/${textOfRound(round)}`, member)),
  'tools for agents': ({ member }, round) => toolCall('read_article', { articleId: textOfRound(round) }, member?.token),
};

const ordinaryRead: Attack = ({ member }) => get(`/api/articles/${ORDINARY_ARTICLE}`, member);

/** These have the same responses with a token, or none. */
const withoutToken: Record<string, Attack> = {
  'feeds in all formats': (_attacker, round) =>
    get(`/members/${authorOfLongTexts}/feed.${['xml', 'atom', 'json'][round % 3]}`),
  'Markdown files': (_attacker, round) => get(`/articles/${slugs[round % slugs.length]}.md`),
  'unchanged responses': (_attacker, round) => {
    const requests = [
      get(changesSince(beforeLongTexts)),
      graphqlGet({ query: pageOfLongTexts() }),
      get(`/api/articles/${textOfRound(round)}`),
      get(`/members/${authorOfLongTexts}/feed.json`),
      get(`/articles/${slugs[round % slugs.length]}.md`),
    ];
    return withHeaders({ 'If-None-Match': '*' }, requests[round % requests.length] as HttpRequest);
  },
};

const withToken: Record<string, Attack> = {
  archives: ({ member }) => get('/api/members/me/archive', member),
};

/** What all clients of a network do in turn. */
const inTurn =
  (attacks: Readonly<Record<string, Attack>>): Attack =>
  (attacker, round) => {
    const all = Object.values(attacks);
    return (all[round % all.length] as Attack)(attacker, Math.floor(round / all.length));
  };

/** As many connections of one network as clients, whose requests have long texts. */
function readers(count: number, attacks: { without: Clients['only']; with: Clients['only'] }): Clients[] {
  const addressOf = () => `198.51.100.${100 + count}`;
  const shared = { count, connections: count, addressOf };
  return [
    { ...shared, name: `${count} connections without a token`, haveAccounts: false, only: attacks.without },
    { ...shared, name: `${count} connections of accounts`, haveAccounts: true, only: attacks.with },
  ];
}

const CLIENTS: readonly Clients[] = [
  {
    name: '5 accounts of an IPv4 address',
    count: 5,
    addressOf: () => '198.51.100.7',
    haveAccounts: true,
    onlyTogether: true,
  },
  { name: '20 accounts of an IPv6 /64', count: 20, addressOf: (n) => `2001:db8:1:2:${n}::1`, haveAccounts: true },
  { name: '20 clients without a token', count: 20, addressOf: () => '198.51.100.8', haveAccounts: false },
  ...readers(3, { without: { ...withLongTexts, ...withoutToken }, with: withToken }),
  ...readers(8, { without: withoutToken, with: { ...withLongTexts, ...withToken } }),
  ...readers(20, { without: { ...withLongTexts, ...withoutToken }, with: withToken }),
];

/** Texts that take the maximum time to render, each of them another one: a text that has met the limit is not rendered again. */
const expensiveMarkdown = (n: number) => `Text ${n} ${'***a_'.repeat(19_000)}`;

/** Words that no other text has: the search index has an entry for each. */
const manyWords = (n: number) =>
  times(8_000, (word) => createHash('sha256').update(`${n} ${word}`).digest('base64url').slice(0, 11)).join(' ');

/** Of 4 megapixels. */
const image = multipart([filePart(await flat(2_000, 2_000).png().toBuffer())]);

const upload = ({ token }: Pick<BuiltMember, 'token'>): HttpRequest => ({
  path: '/api/images',
  headers: { ...bearer(token), ...image.headers },
  body: image.body,
});

const style = ({ token }: Pick<BuiltMember, 'token'>): HttpRequest =>
  restPost('/api/articles/transform-style', { content: 'A text.', writingStyle: 'FRIENDLY' }, token);

const put = (request: HttpRequest): HttpRequest => ({ ...request, method: 'PUT' });

const ofAccounts: Record<string, Attack> = {
  images: ({ member }) => upload(member as BuiltMember),
  'texts in another style': ({ member }) => style(member as BuiltMember),
  previews: ({ member }) => restPost('/api/articles/preview', { content: expensiveMarkdown(sent++) }, member?.token),
  'articles that take long to render': ({ member }) =>
    restPost('/api/articles', { title: 'Expensive', content: expensiveMarkdown(sent++) }, member?.token),
  'long articles': ({ member }) =>
    restPost('/api/articles', { title: 'Long', content: manyWords(sent++) }, member?.token),
  'changes of the visibility of a long article': ({ member, shownId }, round) => {
    const json = { visibility: round % 2 ? 'PUBLIC' : 'PRIVATE' };
    return put(restPost(`/api/articles/${shownId}/visibility`, json, member?.token));
  },
  'edits and restored revisions of a long article': ({ member, editedId }, round) =>
    round % 2
      ? restPost(`/api/articles/${editedId}/revisions/1/restore`, {}, member?.token)
      : put(restPost(`/api/articles/${editedId}`, { title: 'Edited', content: manyWords(sent++) }, member?.token)),
};

/** What the other member does as well, where a usual request does not use the same queue. */
const alsoOfOther: Record<string, (other: BuiltMember) => HttpRequest> = {
  images: upload,
  'texts in another style': style,
  'passwords to hash': ({ email, password }) => restPost('/api/auth/login', { email, password }),
};

const ofAll: Record<string, Attack> = {
  'passwords to hash': () =>
    restPost('/api/auth/login', { email: `${sent++}@example.org`, password: 'wrong password' }),
  'the HTML of articles that are not rendered': ({ member }) =>
    graphqlPost(
      { query: `{ article(id: ${unrendered[requestedHtml++ % UNRENDERED]}) { contentHtml } }` },
      member?.token,
    ),
  searches: ({ member }) =>
    get(`/api/articles?keyword=${String.fromCharCode(103 + (sent % 20), 103 + ((sent++ / 20) % 20))}`, member),
  'expensive operations': ({ member }) =>
    graphqlPost(
      {
        query: `{ comments(articleId: ${LONG_ARTICLE}, size: 100, page: ${1 + (sent++ % 100)}) {
          contents { replies { id content article { id title } } } } }`,
      },
      member?.token,
    ),
};

describe('Many clients of one network', function () {
  this.timeout(300_000);
  // The load of the machine may change between the two measurements. The output has the results of all attempts.
  this.retries(1);
  let service: AttackedService;
  let observer: pg.Client;
  let attackers: Attacker[];
  let requests: (attack: string) => OrdinaryRequest[];
  let provider: AiProvider;
  const report: string[] = [];
  /** Without an attack, by the additional request of the other member. */
  const baselines = new Map<string, Waits[]>();

  before(async () => {
    const databaseUrl = await freshDatabase('daybook_networks');
    provider = await startAiProvider();
    provider.setResponses(async (response, request) => {
      await sleep(PROVIDER_MS);
      await respond.withText('A friendly text.')(response, request);
    });
    service = await AttackedService.start(databaseUrl, {
      TRUST_PROXY: '1',
      LIMIT_REGISTER: '1000000/1h',
      LIMIT_WRITES: '1000000/10m',
      LIMIT_WRITE_BYTES: '1000MB/1d',
      LIMIT_LOGIN_ADDRESS: '1000000/15m',
      AI_DAILY_BUDGET: '1000000',
      ...provider.environment,
    });
    const { author, other } = await seedJournal(service.url, databaseUrl, provider, 0);
    const members = await Promise.all(times(ACCOUNTS, () => buildMember(service.url)));
    requests = ordinaryRequests(other);
    observer = new pg.Client({ connectionString: databaseUrl });
    await observer.connect();
    await observer.query('alter table all_articles disable trigger article_search_add');
    const writer = await buildMember(service.url);
    const changes = async (cursor: string) =>
      (await (await fetch(service.url + changesSince(cursor))).json()) as {
        data: { cursor: string; hasMore: boolean };
      };
    beforeLongTexts = (await changes('latest')).data.cursor;
    const added = [
      ...times(LONG_TEXTS, (n) => ({ id: writer.id, text: longText(n) })),
      ...times(2 * ACCOUNTS, (n) => ({ id: members[n % ACCOUNTS]?.id, text: manyWords(-1 - n) })),
      ...times(ARCHIVED * ACCOUNTS, (n) => ({ id: members[n % ACCOUNTS]?.id, text: longText(n) })),
      ...times(UNRENDERED, (n) => ({ id: author.id, text: expensiveMarkdown(-1 - n) })),
    ];
    await observer.query(ADDED_ARTICLES, [added.map(({ id }) => id), added.map(({ text }) => text)]);
    await observer.query('alter table all_articles enable trigger article_search_add');
    const addedOf = async ({ id }: BuiltMember) =>
      (await observer.query(IDS_OF_ADDED, [id])).rows.map(({ id }) => Number(id));
    attackers = [];
    for (const member of members) {
      const [shownId = 0, editedId = 0] = await addedOf(member);
      attackers.push({ member, shownId, editedId });
    }
    unrendered = await addedOf(author);
    longTexts = await addedOf(writer);
    await observer.query(HTML_OF_ADDED, [longTexts]);
    slugs = (await observer.query('select slug from articles where id = any($1)', [longTexts])).rows.map(
      (row) => row.slug,
    );
    authorOfLongTexts = writer.id;
    await until(async () => (await changes(beforeLongTexts)).data.hasMore);
    await observer.query('vacuum analyze');
    await measure('', 1_000);
  });
  after(async () => {
    await observer?.end();
    await service?.stop();
    await provider?.close();
    process.stdout.write(`\n${report.join('\n')}\n`);
  });

  for (const clients of CLIENTS) {
    const each = clients.only ?? { ...(clients.haveAccounts && ofAccounts), ...ofAll };
    const attacks = {
      ...(clients.onlyTogether ? {} : each),
      ...(clients.only ? {} : { 'all of this': inTurn(each) }),
    };
    for (const [name, attack] of Object.entries(attacks)) {
      it(`do not delay a member of another network: ${clients.name} with ${name}`, async () => {
        await untilIdle();
        // One archive in an hour for each account.
        await observer.query('delete from rate_limits');
        const baseline = await baselineOf(name);
        const [waits, outcomes] = await measureBeside(attack, name, clients, clients.only ? READ_MS : ATTACK_MS);
        report.push(`${clients.name}, ${name}: ${describeWaits(baseline, waits)}; ${JSON.stringify(outcomes)}`);
        expect(Object.keys(outcomes), 'requests of the attack').to.not.deep.equal([]);
        const maxOf = (usual: readonly Waits[], index: number) =>
          MAX_FACTOR * Math.max(usual[index]?.medianMs ?? 0, MIN_BASELINE_MS);
        let after: Waits[] = [];
        if (waits.some(({ medianMs }, index) => medianMs > maxOf(baseline, index))) {
          // Other programs can have made the machine slower meanwhile: then it is still slower without the attack, and where as many connections read
          // an ordinary article.
          await untilIdle();
          after = clients.only
            ? (await measureBeside(ordinaryRead, name, clients, BASELINE_MS))[0]
            : await measure(name, BASELINE_MS);
        }
        for (const [index, { name, failures, medianMs }] of waits.entries()) {
          expect(failures, `failures of the other member's ${name}`).to.deep.equal([]);
          const usual = [baseline, after].map((each) => `${each[index]?.medianMs} ms`).join(' and ');
          const maxMs = Math.max(maxOf(baseline, index), maxOf(after, index));
          expect(medianMs, `median of ${name}, without the attack ${usual}`).to.be.at.most(maxMs);
        }
      });
    }
  }

  async function measure(attack: string, ms: number): Promise<Waits[]> {
    const other = await startOtherClient(service.url, requests(attack));
    await sleep(ms);
    return other.stop();
  }

  async function measureBeside(
    attack: Attack,
    name: string,
    clients: Clients,
    ms: number,
  ): Promise<[Waits[], Record<string, number>]> {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const attacking = run(attack, clients, controller.signal);
    const waits = await measure(name, ms);
    controller.abort();
    return [waits, await attacking];
  }

  /** Measured once for the same requests of the other member. */
  async function baselineOf(attack: string): Promise<Waits[]> {
    const key = attack in alsoOfOther ? attack : 'usual';
    const baseline = baselines.get(key) ?? (await measure(attack, BASELINE_MS));
    baselines.set(key, baseline);
    return baseline;
  }

  /** Statements of the former attack have ended. */
  async function untilIdle(): Promise<void> {
    await until(async () => {
      const { rows } = await observer.query(ACTIVE_STATEMENTS);
      return rows.length === 0;
    }, MAX_WAIT_MS);
  }

  async function run(attack: Attack, clients: Clients, signal: AbortSignal): Promise<Record<string, number>> {
    const agent = new Agent({ keepAlive: true });
    const outcomes: Record<string, number> = {};
    const rounds = new Map<number, number>();
    await Promise.all(
      times(clients.connections ?? 2 * clients.count, async (n) => {
        const index = n % clients.count;
        const { member, ...articles } = attackers[index] as Attacker;
        const attacker = clients.haveAccounts && member ? { member, ...articles } : articles;
        while (!signal.aborted) {
          const round = rounds.get(index) ?? 0;
          rounds.set(index, round + 1);
          const request = attack(attacker, round);
          const headers = { ...request.headers, 'X-Forwarded-For': clients.addressOf(index) };
          const { label, ms } = await send(service.url, { ...request, headers }, agent, signal);
          outcomes[label] = (outcomes[label] ?? 0) + 1;
          // A rejected request is repeated, but not in a loop that occupies this process.
          if (ms < 50) await sleep(50 - ms);
        }
      }),
    );
    agent.destroy();
    return outcomes;
  }
});

function ordinaryRequests(other: BuiltMember): (attack: string) => OrdinaryRequest[] {
  const { token } = other;
  const usual = { everyMs: 100, maxWaitMs: MAX_WAIT_MS };
  const address = { 'X-Forwarded-For': OTHER_ADDRESS };
  const post = (path: string, json: unknown) => {
    const request = restPost(path, json, token);
    return { ...request, headers: { ...request.headers, ...address }, ...usual };
  };
  const get = (path: string) => ({ method: 'GET', path, headers: { ...bearer(token), ...address }, ...usual });
  const lists = times(50, (n) =>
    JSON.stringify({ query: `{ articles(size: 5, page: ${n + 1}) { contents { title } } }` }),
  );
  const texts = times(50, (n) => JSON.stringify({ title: `Day ${n}`, content: `A *short* text of day ${n}.` }));
  const own = (attack: string): OrdinaryRequest[] => {
    const request = alsoOfOther[attack]?.(other);
    return request
      ? [{ name: attack, ...request, headers: { ...request.headers, ...address }, ...usual, everyMs: 500 }]
      : [];
  };
  return (attack) => [
    ...own(attack),
    { name: 'page', ...get(`/api/articles/${ORDINARY_ARTICLE}/rendered`) },
    { name: 'list', path: '/graphql', headers: { ...JSON_TYPE, ...address }, bodies: lists, ...usual },
    { name: 'search', ...get('/api/articles?keyword=ordinary') },
    { name: 'own data', ...get('/api/members/me') },
    { name: 'preview', ...post('/api/articles/preview', { content: 'A *short* text.' }) },
    { name: 'comment', ...post(`/api/articles/${ORDINARY_ARTICLE}/comments`, { content: 'A comment.' }) },
    { name: 'article', ...post('/api/articles', {}), bodies: texts },
  ];
}

/** The search has the beginning of each text only, because all of their words take a minute: the first change of an article adds them. */
const ADDED_ARTICLES = `
with added as (
  insert into articles (member_id, category_id, title, content)
  select t.member_id, c.id, 'Added', t.content
  from unnest($1::int[], $2::text[]) t (member_id, content) join categories c on c.member_id = t.member_id and c.is_default
  returning id, created_at, member_id, category_id, content
)
insert into article_search select id, created_at, member_id, category_id, 'added', '', lower(left(content, 3000)) from added`;

const IDS_OF_ADDED = `select id from articles where member_id = $1 and title = 'Added'`;

/** As a later version of the renderer would have stored it. */
const HTML_OF_ADDED = `
with t as (insert into article_texts (article_id, version, text) select id, 1000, content from articles where id = any($1))
insert into article_html (article_id, version, html) select id, 1000, '<p>' || content || '</p>' from articles where id = any($1)`;

const ACTIVE_STATEMENTS = `
select from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;

function describeWaits(baseline: readonly Waits[], waits: readonly Waits[]): string {
  return waits
    .map(({ name, requests, medianMs, longestMs }, index) => {
      const usualMs = baseline[index]?.medianMs ?? 0;
      return `${name} ${usualMs.toFixed(0)} to ${medianMs.toFixed(0)} ms (${requests}, at most ${longestMs.toFixed(0)})`;
    })
    .join(', ');
}
