/** The shares of clients in the connections of the pool. A table is locked, so that statements occupy their connections until the test ends. */
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { JOBS } from '../../../src/platform/database/connection-shares.js';
import { statements } from '../../../src/platform/database/observed-client.js';
import { openDatabase } from '../../../src/platform/database/pool.js';
import { statement } from '../../../src/platform/database/statement.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, graphql, type RestResponse } from '../../support/client.js';
import { execute, freshDatabase, waitingForLock } from '../../support/database.js';
import { listen } from '../../support/server.js';
import { until } from '../../support/until.js';

const ATTACKER = '198.51.100.1';
const OTHER = '203.0.113.1';

const NOW = statement<[], { now: Date }>('now', 'select now()');
const COMMENTS = statement<[], { id: number }>('ids_of_comments', 'select id from comments');

describe('The connections of the pool', () => {
  const app = useApp({ TRUST_PROXY: '1', RESPONSE_CACHE_MB: '0' });
  let locker: pg.Client;
  let observer: pg.Client;
  let article: BuiltArticle;
  let members: BuiltMember[];
  let pending: Promise<unknown>[];

  before(async () => {
    locker = new pg.Client({ connectionString: app.database.url });
    await locker.connect();
    observer = new pg.Client({ connectionString: app.database.url });
    await observer.connect();
    article = await buildArticle(app.url);
    members = [];
    for (let count = 0; count < 4; count++) members.push(await buildMember(app.url));
  });
  beforeEach(async () => {
    pending = [];
    await locker.query('begin; lock table comments in access exclusive mode');
  });
  afterEach(async () => {
    await locker.query('rollback');
    await Promise.all(pending);
  });
  after(() => Promise.all([locker.end(), observer.end()]));

  /** Sends requests, whose responses the end of the test awaits. */
  function send(count: number, make: (index: number) => Promise<RestResponse | Response>): void {
    pending.push(...Array.from({ length: count }, (_, index) => make(index)));
  }
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const page = () => `/api/articles/${article.id}/comments`;
  const read = (address: string, { token }: BuiltMember) =>
    call(app.url, `GET ${page()}`, { headers: from(address), token });
  /** With too many root fields for a shared statement that validates cached responses. */
  const manyLists = async (count: number, address: string) => {
    const field = (n: number) => `a${n}: comments(articleId: ${article.id}) { contents { id } }`;
    const query = `{ ${Array.from({ length: count }, (_, n) => field(n)).join(' ')} }`;
    const headers = { 'Content-Type': 'application/json', ...from(address) };
    return fetch(`${app.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  };
  async function readWithoutToken(): Promise<void> {
    send(30, () => manyLists(11, ATTACKER));
    await untilWaiting({ lock: 6, connection: 24 });
  }
  const comment = (address: string, { token }: BuiltMember) =>
    call(app.url, `POST ${page()}`, { headers: from(address), token, json: { content: 'Hello' } });

  async function expectServed(address: string, token?: string): Promise<void> {
    const request = token === undefined ? 'GET /api/articles' : 'GET /api/members/me';
    const { status } = await call(app.url, request, { headers: from(address), ...(token !== undefined && { token }) });
    expect(status, `${request} from ${address}`).to.equal(200);
  }

  /** Statements that wait for the lock, with a connection, and at least those that wait for a connection. */
  async function untilWaiting({ lock, connection }: { lock: number; connection: number }): Promise<void> {
    await until(
      async () => app.database.poolState().waiting >= connection && (await waitingForLock(observer)) === lock,
    );
  }

  it('are left to members of the same network, and to other networks, by requests without a token', async () => {
    await readWithoutToken();
    await expectServed(ATTACKER, members[0]?.token);
    await expectServed(OTHER);
  });

  it('are left to other networks by many members of one network', async () => {
    send(40, (index) => read(ATTACKER, members[index % 4] as BuiltMember));
    await untilWaiting({ lock: 8, connection: 1 });
    await expectServed(OTHER);
    await expectServed(OTHER, article.author.token);
  });

  it('are left to others by one member with many networks', async () => {
    send(30, (index) => read(`198.51.100.${10 + index}`, members[0] as BuiltMember));
    await untilWaiting({ lock: 6, connection: 1 });
    await expectServed(OTHER);
  });

  it('are used for at most four statements of one request, and for one with a snapshot', async () => {
    const request = app.database.forClient({ key: ATTACKER, network: ATTACKER });
    pending.push(...Array.from({ length: 10 }, () => request.query(COMMENTS, [])));
    await untilWaiting({ lock: 4, connection: 0 });
    send(1, () => manyLists(30, '127.0.0.1'));
    await untilWaiting({ lock: 5, connection: 0 });
    await expectServed('127.0.0.1');
  });

  it('are used for at most one change of one member; the others wait without a connection', async () => {
    send(12, () => comment(ATTACKER, members[0] as BuiltMember));
    const [writes] = app.database.queues();
    await until(async () => writes?.state.waiting === 11);
    expect(await waitingForLock(observer)).to.equal(1);
    expect(app.database.poolState().inUse).to.equal(1);
    send(1, () => comment(OTHER, members[1] as BuiltMember));
    await until(async () => (await waitingForLock(observer)) === 2);
    await locker.query('rollback');
    const responses = (await Promise.all(pending)) as RestResponse[];
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(13).fill(201));
  });

  it('are used for at most four statements of jobs, which are served while a client has many waiting', async () => {
    const jobs = app.database.forClient(JOBS);
    await readWithoutToken();
    expect(await jobs.query(NOW, [])).to.have.length(1);
    pending.push(...Array.from({ length: 10 }, () => jobs.query(COMMENTS, [])));
    await untilWaiting({ lock: 10, connection: 24 });
  });

  it('are not waited for by a change beyond 100 of its member, which is rejected with 429', async () => {
    let rejected: RestResponse | undefined;
    send(102, async () => {
      const response = await comment(ATTACKER, members[0] as BuiltMember);
      if (response.status !== 201) rejected = response;
      return response;
    });
    await until(async () => rejected !== undefined);
    expect([rejected?.status, rejected?.body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(rejected?.headers.get('Retry-After'))).to.be.above(0);
  });
});

describe('The counters of limits', () => {
  const app = useApp({ TRUST_PROXY: '1' });

  it('have connections for other networks while many members of one network wait for a counter', async () => {
    const members: BuiltMember[] = [];
    for (let count = 0; count < 11; count++) members.push(await buildMember(app.url));
    const [other, ...attackers] = members as [BuiltMember, ...BuiltMember[]];
    const change = (categoryName: string, address: string, { token }: BuiltMember) => {
      const headers = { 'X-Forwarded-For': address };
      return call(app.url, 'POST /api/categories', { token, headers, json: { categoryName } });
    };
    await Promise.all(attackers.map((member) => change('first', ATTACKER, member)));
    const [locker, observer] = [0, 1].map(() => new pg.Client({ connectionString: app.database.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([locker.connect(), observer.connect()]);
    let pending: Promise<RestResponse>[];
    try {
      await locker.query('begin; update rate_limits set points = points');
      pending = attackers.map((member) => change('second', ATTACKER, member));
      await until(async () => app.database.poolState().waiting === 2 && (await waitingForLock(observer)) === 8);
      expect((await change('first', OTHER, other)).status).to.equal(201);
    } finally {
      await Promise.all([locker.end(), observer.end()]);
    }
    expect((await Promise.all(pending)).map(({ status }) => status)).to.deep.equal(Array(10).fill(201));
  });
});

describe('The event loop', () => {
  const app = useApp();

  /** For each statement, the turn of the event loop in which it started. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number[]> {
    // Iterations of former statements end first: they would begin earlier in an iteration of the event loop than the count.
    await delay(20);
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const turns: number[] = [];
    const started = (message: unknown) => {
      if ((message as { text: string }).text === NOW.text) turns.push(turn);
    };
    statements.subscribe(started);
    try {
      await work();
    } finally {
      isDone = true;
      statements.unsubscribe(started);
    }
    return turns;
  }

  const times = <Made>(count: number, make: (index: number) => Promise<Made>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));

  /** The pool has all its connections afterwards, and the last client is `one`. */
  async function openConnections() {
    const { database } = app;
    const clients = { one: database.forClient({ key: 'one' }), other: database.forClient({ key: 'other' }) };
    // Snapshots that are open at the same time: statements that end quickly could share a connection.
    const snapshots = await times(10, (index) => database.forClient({ key: `${index}` }).beginSnapshot());
    await Promise.all(snapshots.map((snapshot) => snapshot.end()));
    expect(database.poolState()).to.deep.include({ idle: 10, inUse: 0 });
    return clients;
  }

  it('starts one statement of each client in a turn while there are several, also in snapshots', async () => {
    const { one, other } = await openConnections();
    const snapshots = await Promise.all([1, 2, 3].map(() => one.beginSnapshot()));
    // The statements of the other client are the first ones, however long the beginning of the snapshots took.
    const turns = await turnsDuring(() =>
      Promise.all([
        times(3, () => other.query(NOW, [])),
        times(20, () => one.query(NOW, [])),
        ...snapshots.map((snapshot) => snapshot.query(NOW, [])),
      ]),
    );
    await Promise.all(snapshots.map((snapshot) => snapshot.end()));
    expect(turns).to.have.length(26);
    for (const turn of turns) expect(turns.filter((any) => any === turn).length, `turn ${turn}`).to.be.at.most(2);
  });

  it('starts one statement of all members of a network in a turn while there are other networks', async () => {
    await openConnections();
    const members = Array.from({ length: 20 }, (_, n) => app.database.forClient({ key: `m${n}`, network: ATTACKER }));
    const other = app.database.forClient({ key: 'm20', network: OTHER });
    const turns = await turnsDuring(() =>
      Promise.all([times(3, () => other.query(NOW, [])), ...members.map((member) => member.query(NOW, []))]),
    );
    expect(turns).to.have.length(23);
    for (const turn of turns) expect(turns.filter((any) => any === turn).length, `turn ${turn}`).to.be.at.most(2);
  });

  it('starts the statements of a client at once while it is alone, also beside limits and the service', async () => {
    const { one } = await openConnections();
    const limit = app.database.forClient({ key: 'limits of one', network: 'limits of one', maxConnections: 1 });
    await one.query(NOW, []);
    await delay(1_100);
    await limit.query(NOW, []);
    await app.database.query(NOW, []);
    const turns = await turnsDuring(() => times(6, () => one.query(NOW, [])));
    // In turns, each of them would have its own.
    expect(new Set(turns).size).to.be.below(6);
  });
});

describe('An operation with many statements', () => {
  const app = useApp();

  it('waits for a permit, as other expensive operations do', async () => {
    const { id } = await buildArticle(app.url);
    const { operations } = app.services.limits.operations;
    let release = () => {};
    const running = operations.run(
      { key: 'other', weight: 1_000_000 },
      () => new Promise<void>((resolve) => (release = resolve)),
    );
    const document = (count: number) =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: article(id: ${id + n}) { id }`).join(' ')} }`;
    const expensive = graphql(app.url, document(11));
    await until(async () => operations.state.waiting === 1);
    expect((await graphql(app.url, document(1))).errors).to.equal(undefined);
    release();
    await Promise.all([running, expensive]);
  });
});

describe('A server that refuses further connections', () => {
  const ROLE = 'with_two_connections';
  let url: string;
  before(async () => {
    url = await freshDatabase('refused_connections');
    await execute([`drop role if exists ${ROLE}`, `create role ${ROLE} login password 'secret' connection limit 2`]);
  });
  after(() => execute([`drop role if exists ${ROLE}`]));

  it('is used with the connections that it has accepted', async () => {
    const limited = new URL(url);
    limited.username = ROLE;
    limited.password = 'secret';
    const database = openDatabase(limited.href, { poolSize: 8, statementTimeoutMs: 10_000 });
    try {
      const rows = await Promise.all(Array.from({ length: 40 }, () => database.query(NOW, [])));
      expect(rows.flat()).to.have.length(40);
      const transactions = Array.from({ length: 10 }, () => database.transaction((db) => db.query(NOW, [])));
      expect((await Promise.all(transactions)).flat()).to.have.length(10);
      expect(database.poolState()).to.deep.include({ inUse: 0, waiting: 0 });
    } finally {
      await database.close();
    }
  });

  it('is not asked for connections all the time by requests that wait together', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    const acquireTimeoutMs = 2_000;
    const database = openDatabase(`postgres://127.0.0.1:${await listen(server)}/nowhere`, {
      ...{ poolSize: 2, statementTimeoutMs: 1_000, acquireTimeoutMs },
    });
    try {
      const queries = await Promise.allSettled(Array.from({ length: 4 }, () => database.query(NOW, [])));
      expect(queries.map(({ status }) => status)).to.deep.equal(Array(4).fill('rejected'));
      // The first one of each, and further ones every 50 ms.
      expect(attempts).to.be.at.most(4 * (1 + acquireTimeoutMs / 50));
    } finally {
      await database.close();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
