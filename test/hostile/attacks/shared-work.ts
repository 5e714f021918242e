/** Expensive work that all clients share: hashing, rendering, images, search, the AI provider, PostgreSQL. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import sharp from 'sharp';
import { execute } from '../../support/database.js';
import { until } from '../../support/until.js';
import type { Attack } from '../attack.js';
import {
  AI_DAILY_BUDGET,
  ARTICLES_WITHOUT_BLANKS,
  FIRST_ARTICLE_WITHOUT_BLANKS,
  FIRST_HOSTILE_MARKDOWN,
  HOSTILE_MARKDOWN,
  type Journal,
} from '../journal.js';
import type { OrdinaryRequest } from '../other-client.js';
import { bearer, graphqlPost, JSON_TYPE, lazily, restPost, times } from '../requests.js';

/** Longest wait of another client for work of the kind that is attacked: five times the longest one measured on two cores, 1.4 s for a feed. */
const FAIR_MS = 7_000;

/** By a member of its own: each login opens a session, and the hundredth ends one that has not been used for a while. */
const login = ({ loggingIn }: Journal): OrdinaryRequest => ({
  name: 'login',
  path: '/api/auth/login',
  headers: JSON_TYPE,
  body: JSON.stringify({ email: loggingIn.email, password: loggingIn.password }),
  everyMs: 250,
  maxWaitMs: FAIR_MS,
});

/** Of articles that have not been read before. */
const rendering = (): OrdinaryRequest => ({
  name: 'rendering',
  path: '/graphql',
  headers: JSON_TYPE,
  bodies: times(ARTICLES_WITHOUT_BLANKS, (n) =>
    JSON.stringify({ query: `{ article(id: ${FIRST_ARTICLE_WITHOUT_BLANKS + n}) { contentHtml } }` }),
  ),
  everyMs: 250,
  maxWaitMs: FAIR_MS,
});

const feed = (): OrdinaryRequest => ({
  name: 'feed',
  method: 'GET',
  path: '/feed.json',
  everyMs: 250,
  maxWaitMs: FAIR_MS,
});

const smallImage = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#336699' } })
  .png()
  .toBuffer();
const slowImage = await sharp({ create: { width: 1_200, height: 1_200, channels: 3, background: '#336699' } })
  .avif({ effort: 0 })
  .toBuffer();

function imageBody(image: Buffer): Buffer {
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  return Buffer.concat([Buffer.from(part), image, Buffer.from('\r\n--x--\r\n')]);
}

const upload = (token: string, image: Buffer) => ({
  method: 'PATCH',
  path: '/api/members/me',
  headers: { 'Content-Type': 'multipart/form-data; boundary=x', ...bearer(token) },
  body: imageBody(image),
});

/** Different two-letter words at the end of the texts without spaces: a scan for one reads each text to its end. */
const words = (count: number, round = 0) =>
  times(count, (n) => String.fromCharCode(103 + ((n + round) % 20), 103 + (((n + round) / 20) % 20))).join(' ');

const WRONG_LOGIN = ['401 INVALID_CREDENTIALS'];

export const accountAttacks: Readonly<Record<string, Attack>> = {
  '80 registrations from one network': {
    parallel: 16,
    expected: ['201'],
    required: '429 RATE_LIMITED',
    atMost: { '201': 60 },
    others: (journal) => [login(journal)],
    requests: () =>
      lazily(80, (n) =>
        restPost('/api/auth/register', {
          email: `flood${n}.${Date.now()}@example.org`,
          password: `a password of ${n}`,
          memberName: `Flood ${n}`,
        }),
      ),
  },
  '20 registrations in one GraphQL document, twenty times': {
    parallel: 4,
    expected: ['200', '400 QUERY_TOO_COMPLEX', '200 EMAIL_TAKEN', '409 EMAIL_TAKEN'],
    others: (journal) => [login(journal)],
    requests: () =>
      lazily(20, (round) => {
        const field = (n: number) =>
          `a${n}: register(input: { email: "alias${round}x${n}@example.org", password: "a password of ${n}", memberName: "Alias" }) { id }`;
        return graphqlPost({ query: `mutation { ${times(20, field).join(' ')} }` });
      }),
  },
  '350 logins at once with wrong passwords, to as many accounts': {
    parallel: 350,
    expected: WRONG_LOGIN,
    others: (journal) => [login(journal)],
    requests: () =>
      times(350, (n) =>
        restPost('/api/auth/login', { email: `unknown${n}@example.org`, password: 'a wrong password' }),
      ),
  },
  '30 logins in one GraphQL document, five at once': {
    parallel: 5,
    expected: ['200 INVALID_CREDENTIALS', '401 INVALID_CREDENTIALS', '400 QUERY_TOO_COMPLEX'],
    others: (journal) => [login(journal)],
    requests: () =>
      times(5, (round) => {
        const field = (n: number) =>
          `a${n}: login(input: { email: "nobody${round}x${n}@example.org", password: "a wrong password" }) { accessToken }`;
        return graphqlPost({ query: `mutation { ${times(30, field).join(' ')} }` });
      }),
  },
  '1,100 requests for options of passkeys': {
    parallel: 16,
    expected: ['200'],
    required: '429 RATE_LIMITED',
    atMost: { '200': 1_000 },
    others: (journal) => [login(journal)],
    requests: () => times(1_100, () => ({ path: '/api/auth/passkeys/options', headers: {} })),
  },
  '300 logins with unknown passkeys of the maximum size': {
    parallel: 50,
    expected: WRONG_LOGIN,
    others: (journal) => [login(journal)],
    requests: () =>
      times(300, (n) => {
        const id = `${n}`.padStart(1_364, 'A');
        const clientDataJSON = 'A'.repeat(5_462);
        const response = { clientDataJSON, authenticatorData: clientDataJSON, signature: 'AAAA', userHandle: 'AAAA' };
        return restPost('/api/auth/passkeys/login', { credential: { id, rawId: id, type: 'public-key', response } });
      }),
  },
  '100 wrong current passwords of one member at once': {
    parallel: 100,
    expected: ['400 VALIDATION_FAILED'],
    required: '429 RATE_LIMITED',
    atMost: { '400 VALIDATION_FAILED': 10 },
    others: (journal) => [login(journal)],
    requests: ({ attacker }) =>
      times(100, (n) => ({
        method: 'PATCH',
        path: '/api/members/me',
        headers: { ...JSON_TYPE, ...bearer(attacker.token) },
        body: JSON.stringify({ password: 'another password', currentPassword: `a wrong password ${n}` }),
      })),
  },
  'wrong current passwords over all operations that take one': {
    parallel: 60,
    expected: ['400 VALIDATION_FAILED', '200 VALIDATION_FAILED'],
    atMost: { '400 VALIDATION_FAILED': 10, '200 VALIDATION_FAILED': 10 },
    requests: ({ linked: { token } }) =>
      times(60, (n) => {
        const password = `a wrong password ${n}`;
        if (n % 3 === 0) return { ...restPost('/api/members/me', { password }, token), method: 'DELETE' };
        if (n % 3 === 1) return graphqlPost({ query: `mutation { withdraw(password: "${password}") { id } }` }, token);
        const input = `{ password: "another password", currentPassword: "${password}" }`;
        return graphqlPost({ query: `mutation { updateMember(input: ${input}) { id } }` }, token);
      }),
  },
  'a stolen access token that unlinks accounts and withdraws without proof': {
    parallel: 1,
    expected: ['400 VALIDATION_FAILED', '200 VALIDATION_FAILED', '403 PROOF_REQUIRED', '200 PROOF_REQUIRED'],
    requests: ({ linked, withoutPassword }) => [
      graphqlPost({ query: 'mutation { unlinkSocialAccount(provider: "GOOGLE") { id } }' }, linked.token),
      graphqlPost({ query: 'mutation { unlinkSocialAccount(provider: "GOOGLE") { id } }' }, withoutPassword.token),
      graphqlPost({ query: 'mutation { withdraw { id } }' }, linked.token),
      graphqlPost({ query: 'mutation { withdraw { id } }' }, withoutPassword.token),
      { method: 'DELETE', path: '/api/members/me', headers: bearer(withoutPassword.token) },
    ],
    examine: async ({ databaseUrl, linked, withoutPassword }) => {
      const count = () =>
        single(databaseUrl, 'select count(*) from social_links where member_id = any($1::int[])', [
          [linked.id, withoutPassword.id],
        ]);
      const before = await count();
      return async () => {
        expect(await count(), 'linked accounts').to.equal(before);
      };
    },
  },
};

export const renderingAttacks: Readonly<Record<string, Attack>> = {
  [`${HOSTILE_MARKDOWN.length} articles whose Markdown takes long to parse`]: {
    parallel: HOSTILE_MARKDOWN.length,
    expected: ['200'],
    others: () => [rendering()],
    requests: () =>
      times(HOSTILE_MARKDOWN.length, (n) =>
        graphqlPost({ query: `{ article(id: ${FIRST_HOSTILE_MARKDOWN + n}) { contentHtml } }` }),
      ),
  },
  'the same articles in one document, and in feeds': {
    parallel: 8,
    expected: ['200', '304', '400 QUERY_TOO_COMPLEX'],
    others: () => [rendering(), feed()],
    requests: () => {
      const fields = times(
        HOSTILE_MARKDOWN.length,
        (n) => `a${n}: article(id: ${FIRST_HOSTILE_MARKDOWN + n}) { contentHtml }`,
      );
      const feeds = ['/feed.xml', '/feed.atom', '/feed.json'].map((path) => ({ method: 'GET', path }));
      return [...times(4, () => graphqlPost({ query: `{ ${fields.join(' ')} }` })), ...feeds, ...feeds];
    },
  },
  '30 comments of characters that stand for six letters each': {
    parallel: 5,
    expected: ['201'],
    requests: ({ attacker }) =>
      times(30, () => restPost('/api/articles/1/comments', { content: '\u3316'.repeat(1_000) }, attacker.token)),
  },
  '60 uploads of one member, 30 at once': {
    parallel: 30,
    expected: ['204', '400 IMAGE_INVALID'],
    others: ({ other }) => [{ name: 'upload', ...upload(other.token, smallImage), everyMs: 500, maxWaitMs: FAIR_MS }],
    requests: ({ attacker }) => times(60, () => upload(attacker.token, slowImage)),
  },
};

export const providerAttacks: Readonly<Record<string, Attack>> = {
  '20 articles of one member, each of which is summarized': {
    parallel: 4,
    expected: ['201'],
    requests: ({ attacker }) =>
      times(20, (n) =>
        restPost(
          '/api/articles',
          { title: `Summary ${n}`, content: `Sentence ${n} of a text. `.repeat(60) },
          attacker.token,
        ),
      ),
    examine: async ({ databaseUrl, provider }) => {
      const before = provider.requests.length;
      return async () => {
        await until(async () => (await single(databaseUrl, UNFINISHED_SUMMARIES)) === 0);
        // If the provider does not support JSON schemas, the call is repeated without one.
        expect(provider.requests.length - before, 'calls of the AI provider').to.be.at.most(2 * AI_DAILY_BUDGET);
      };
    },
  },
};

/** Members with five articles each, whom the readers follow. */
const followedJournal = (readers: readonly number[]) => [
  `insert into members (email, member_name, nickname)
   select 'followed-' || n || '@example.org', 'f', 'followed ' || n from generate_series(1, 1000) n`,
  `insert into categories (member_id, name, is_default) select id, 'Followed', true from members where email like 'followed-%'`,
  `insert into all_articles (slug, member_id, category_id, title, content)
   select gen_random_uuid(), member_id, id, 'T', 'C' from categories cross join generate_series(1, 5) where name = 'Followed'`,
  ...readers.map(
    (id) => `insert into follows (follower_id, member_id) select ${id}, id from members where email like 'followed-%'`,
  ),
];

const UNFINISHED_SUMMARIES = "select count(*) from article_summaries where status in ('PENDING', 'PROCESSING')";

export const databaseAttacks: Readonly<Record<string, Attack>> = {
  'two documents of 30 searches for 30 words each': {
    parallel: 2,
    expected: ['400 QUERY_TOO_COMPLEX', '400 VALIDATION_FAILED', '200 VALIDATION_FAILED', '200'],
    requests: () =>
      times(2, (round) =>
        graphqlPost({
          query: `{ ${times(30, (n) => `a${n}: articles(filter: { keyword: "${words(30, 30 * round + n)}" }) { contents { id } }`).join(' ')} }`,
        }),
      ),
  },
  '60 searches at once over REST, in texts without blanks': {
    parallel: 60,
    expected: ['200', '400 VALIDATION_FAILED'],
    requests: () =>
      times(60, (n) => ({
        method: 'GET',
        path: `/api/articles?size=100&keyword=${encodeURIComponent(words(n % 2 ? 8 : 30, n))}`,
      })),
  },
  'searches for single characters and for words longer than the keys of the index': {
    parallel: 16,
    expected: ['200', '400 VALIDATION_FAILED'],
    requests: () =>
      times(64, (n) => {
        const keyword = ['a b c d e f g h', '%', '_', `${'f'.repeat(30)}${n} ${'0'.repeat(30)}`][n % 4] ?? '';
        return {
          method: 'GET',
          path: `/api/articles?size=100&page=${1 + (n % 3)}&keyword=${encodeURIComponent(keyword)}`,
        };
      }),
  },
  '800 combinations of filters, orders and fields': {
    parallel: 8,
    expected: ['200', '400 VALIDATION_FAILED', '200 VALIDATION_FAILED'],
    requests: () => lazily(800, combination),
    examine: async ({ databaseUrl }) => {
      const before = await backendBytes(databaseUrl);
      return async () => {
        const grown = (await backendBytes(databaseUrl)) - before;
        // About 65 MB, of plans and of the catalog that each connection keeps; without a limit of statements it would be several times this.
        expect(grown, 'growth of the memory of PostgreSQL backends').to.be.below(100 * 1024 * 1024);
      };
    },
  },
  '300 pages of the articles of 1,000 followed members, 30 at once': {
    parallel: 30,
    expected: ['200', '400 VALIDATION_FAILED'],
    required: '400 VALIDATION_FAILED',
    others: ({ other }) => [
      {
        name: 'articles of followed members',
        method: 'GET',
        path: '/api/articles/following',
        headers: bearer(other.token),
        everyMs: 250,
        maxWaitMs: FAIR_MS,
      },
    ],
    requests: ({ attacker }) =>
      times(300, (n) => ({
        method: 'GET',
        path: `/api/articles/following?size=100&page=${11 - (n % 11)}`,
        headers: bearer(attacker.token),
      })),
    examine: async ({ databaseUrl, attacker, other }) => {
      await execute(followedJournal([attacker.id, other.id]), databaseUrl);
      return () => execute([`delete from members where email like 'followed-%'`], databaseUrl);
    },
  },
  '6 articles of 99 kB of different words by one member': {
    parallel: 4,
    expected: ['201'],
    requests: ({ attacker }) =>
      lazily(6, (round) => {
        const content = times(8_200, (n) =>
          createHash('sha256').update(`${round} ${n}`).digest('base64url').slice(0, 11),
        )
          .join(' ')
          .slice(0, 99_000);
        return restPost('/api/articles', { title: `Words ${round}`, content }, attacker.token);
      }),
    examine: async ({ databaseUrl }) => {
      const size = () => single(databaseUrl, 'select pg_database_size(current_database())');
      const before = await size();
      return async () => {
        // Text, its HTML, a copy for the search, and its keys: up to 40 times the text, which LIMIT_WRITE_BYTES bounds.
        expect((await size()) - before, 'growth of the database').to.be.below(6 * 99_000 * 50);
      };
    },
  },
};

const FIELDS = [
  'title',
  'excerpt',
  'content',
  'tags',
  'categoryName',
  'authorName',
  'author { id nickname }',
  'category { id name }',
  'commentCount',
  'aiSummary',
  'articleImg',
];
const SORTS = ['COMMENT_COUNT', 'CREATED_AT', 'TITLE', 'UPDATED_AT'].flatMap((key) => [`${key}_ASC`, `${key}_DESC`]);
const SLICES = ['first: 5', 'last: 5', 'first: 5, after: "x"'];

/** The bits of the number select filter, order and fields. */
function combination(number: number) {
  const n = (number * 7919) % 65_536;
  const filter = ['tag: "x"', 'memberId: 1', 'categoryId: 1'].filter((_, bit) => n & (1 << bit)).join(', ');
  const sort = SORTS[(n >> 3) % SORTS.length];
  const fields = ['id', ...FIELDS.filter((_, bit) => (n >> 4) & (1 << bit))].join(' ');
  const query =
    n % 2
      ? `{ articles(sort: ${sort}, size: 5, filter: { ${filter} }) { contents { ${fields} } } }`
      : `{ articleConnection(sort: ${sort}, ${SLICES[n % 3]}, filter: { ${filter} }) { edges { node { ${fields} } } } }`;
  return graphqlPost({ query });
}

async function single(databaseUrl: string, text: string, values: unknown[] = []): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return Number(Object.values((await client.query(text, values)).rows[0])[0]);
  } finally {
    await client.end();
  }
}

/** Memory of their own (RssAnon) of the PostgreSQL processes that serve this database. */
async function backendBytes(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  await client.end();
  return rows.reduce((sum, { pid }) => sum + anonymousBytes(pid), 0);
}

/** 0 for a backend that has ended. */
function anonymousBytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
