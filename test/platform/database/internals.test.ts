/** What is used of pg and Sequelize besides their documented interfaces: these tests fail where an upgrade changes it. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import {
  clientOf,
  connectionOf,
  isIdle,
  isInvalid,
  leave,
  managerOf,
} from '../../../src/platform/database/internals.js';
import { ObservedClient } from '../../../src/platform/database/observed-client.js';
import { useApp } from '../../support/app.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

describe('Of pg', () => {
  let client: pg.Client;
  beforeEach(async () => {
    client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
  });
  afterEach(() => client.end());

  it('a client is idle until it sends a statement, and again when the server has responded', async () => {
    expect(isIdle(client)).to.equal(true);
    const response = client.query('select 1');
    expect(isIdle(client)).to.equal(false);
    await response;
    expect(isIdle(client)).to.equal(true);
  });

  it('a connection has the socket, which counts the received bytes', async () => {
    const { stream } = connectionOf(client);
    expect(stream).to.be.instanceOf(Socket);
    const before = stream.bytesRead;
    await client.query('select 1');
    expect(stream.bytesRead).to.be.above(before);
  });

  it('a connection emits the error of each statement that fails, with its SQLSTATE', async () => {
    const reported = once(connectionOf(client), 'errorMessage') as Promise<[{ code?: string }]>;
    await client.query('select 1/0').catch(() => {});
    expect((await reported)[0].code).to.equal('22012');
  });

  it('a connection has the texts of its named statements, and parses one again whose text is removed', async () => {
    const { parsedStatements } = connectionOf(client);
    const named = { name: 'internal', text: 'select 1 as one' };
    await client.query(named);
    expect(parsedStatements).to.deep.equal({ internal: named.text });
    delete parsedStatements.internal;
    await client.query('deallocate internal');
    expect((await client.query(named)).rows).to.deep.equal([{ one: 1 }]);
  });
});

describe('Of Sequelize', () => {
  const manager = () => managerOf<ObservedClient>(app.database.sequelize);

  it('the pool hands out its clients, and counts them', async () => {
    const { pool } = manager();
    const client = await manager().getConnection({ type: 'SELECT' });
    expect(client).to.be.instanceOf(ObservedClient);
    expect(pool.using).to.equal(1);
    expect(pool.size).to.be.within(1, pool.maxSize);
    manager().releaseConnection(client);
    expect(pool.using).to.equal(0);
    expect(pool.available).to.equal(pool.size);
  });

  it('a client whose connection has ended is invalid, and has left the pool', async () => {
    const client = await manager().getConnection({ type: 'SELECT' });
    const { size } = manager().pool;
    expect(isInvalid(client)).to.equal(false);
    const ended = new Promise((resolve) => client.once('end', resolve));
    client.abort('for a test');
    await ended;
    expect(isInvalid(client)).to.equal(true);
    expect(manager().pool.size).to.equal(size - 1);
  });

  it('a transaction has its client', async () => {
    await app.database.sequelize.transaction(async (transaction) => {
      const client = clientOf<ObservedClient>(transaction);
      expect(client).to.be.instanceOf(ObservedClient);
      expect(client.getTransactionStatus()).to.equal('T');
    });
  });

  it('a transaction that is left returns its client to the pool, and sends nothing', async () => {
    const transaction = await app.database.sequelize.transaction();
    await clientOf<ObservedClient>(transaction).query('commit');
    const statements = await statementsDuring(async () => leave(transaction));
    expect(statements).to.deep.equal([]);
    expect(manager().pool.using).to.equal(0);
    expect(await transaction.commit().catch((error: Error) => error.message)).to.include('has been finished');
  });
});
