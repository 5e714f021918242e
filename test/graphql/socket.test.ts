/** Subscriptions over WebSocket: authentication, permitted operations and the close codes of the protocol. */
import { expect } from 'chai';
import { AppError } from '../../src/platform/errors.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { graphql } from '../support/client.js';
import { closeLiveClients } from '../support/live.js';
import { openSocket, type RawSocket } from '../support/live-raw.js';
import { until } from '../support/until.js';

const SUBSCRIBE = 'subscription { notificationReceived(after: 0) { id article { title } } }';

describe('WebSocket /graphql', () => {
  const app = useApp({ STREAM_LIMIT: '2', STREAM_HEARTBEAT: '1s' });
  afterEach(closeLiveClients);

  const send = ({ socket }: RawSocket, message: unknown) => socket.send(JSON.stringify(message));
  const init = (raw: RawSocket, token: string, name = 'Authorization') =>
    send(raw, { type: 'connection_init', payload: { [name]: `Bearer ${token}` } });

  /** A connection that has been acknowledged. */
  async function admitted(token: string): Promise<RawSocket> {
    const raw = await openSocket(app.url);
    init(raw, token);
    await until(() => raw.messages.length > 0);
    expect(raw.messages).to.deep.equal([{ type: 'connection_ack' }]);
    return raw;
  }

  /** The messages for the operation with the id `1`. */
  async function responseTo(raw: RawSocket, payload: unknown): Promise<Record<string, unknown>> {
    send(raw, { id: '1', type: 'subscribe', payload });
    return until(() => raw.messages.find(({ id }) => id === '1'));
  }

  const codesIn = ({ type, payload }: Record<string, unknown>) => [
    type,
    ...(payload as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code),
  ];

  it('sends each new notification once to a subscription, with all selected fields', async () => {
    const { id, author } = await buildArticle(app.url, { title: 'Sent' });
    const raw = await admitted(author.token);
    send(raw, { id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } });
    await buildComment(app.url, id);
    await buildComment(app.url, id);
    await until(() => raw.messages.length === 3);
    const titles = raw.messages.slice(1).map(({ payload }) => Object(payload).data.notificationReceived.article.title);
    expect(titles).to.deep.equal(['Sent', 'Sent']);
  });

  it('accepts the token parameter in lower case, and responds to a ping', async () => {
    const { token } = await buildMember(app.url);
    const raw = await openSocket(app.url);
    init(raw, token, 'authorization');
    send(raw, { type: 'ping' });
    await until(() => raw.messages.length === 2);
    expect(raw.messages.map(({ type }) => type)).to.have.members(['connection_ack', 'pong']);
  });

  it('closes with 4403 if the token is missing or invalid', async () => {
    const { token, refreshToken } = await buildMember(app.url);
    const odd = [7, 'x', { toString: 'x' }, [`Bearer ${token}`]].map((Authorization) => ({ Authorization }));
    for (const payload of [undefined, {}, ...odd]) {
      const raw = await openSocket(app.url);
      send(raw, { type: 'connection_init', payload });
      expect(await raw.closed).to.equal('4403 UNAUTHENTICATED');
    }
    const raw = await openSocket(app.url);
    init(raw, refreshToken);
    expect(await raw.closed).to.equal('4403 UNAUTHENTICATED');
  });

  it('closes with 4401 on a subscribe before the acknowledgment', async () => {
    const raw = await openSocket(app.url);
    send(raw, { id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } });
    expect(await raw.closed).to.match(/^4401/);
  });

  it('closes with 4408, 4429, 4409, 4400, 4406 and 1009 as the protocol requires', async () => {
    const { token } = await buildMember(app.url);
    const silent = await openSocket(app.url);
    const twice = await admitted(token);
    init(twice, token);
    expect(await twice.closed).to.match(/^4429/);
    const same = await admitted(token);
    for (let n = 0; n < 2; n++) send(same, { id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } });
    expect(await same.closed).to.match(/^4409/);
    const garbled = await openSocket(app.url);
    garbled.socket.send('nonsense');
    expect(await garbled.closed).to.match(/^4400/);
    const large = await openSocket(app.url);
    large.socket.send('x'.repeat(70_000));
    expect(await large.closed).to.match(/^1009/);
    expect(await (await openSocket(app.url, [])).closed).to.match(/^4406/);
    expect(await silent.closed).to.match(/^4408/);
  });

  it('runs only subscriptions, within the limits of queries', async () => {
    const { token } = await buildMember(app.url);
    const aliases = Array.from({ length: 40 }, (_, n) => `a${n}: id`).join(' ');
    const after = 'subscription ($after: ID) { notificationReceived(after: $after) { id } }';
    const cases: [query: string, code: string, variables?: object][] = [
      [after, 'VALIDATION_FAILED', { after: [1] }],
      [after, 'VALIDATION_FAILED', { after: { id: 1 } }],
      ['{ me { id } }', 'BAD_REQUEST'],
      ['mutation { logout { id } }', 'BAD_REQUEST'],
      ['subscription {', 'BAD_REQUEST'],
      ['subscription { nothing }', 'BAD_REQUEST'],
      ['subscription { notificationReceived(after: "x") { id } }', 'VALIDATION_FAILED'],
      [`subscription { notificationReceived { ${aliases} } }`, 'QUERY_TOO_COMPLEX'],
      [`subscription { notificationReceived { ${'id '.repeat(2_100)} } }`, 'QUERY_TOO_COMPLEX'],
    ];
    for (const [query, code, variables] of cases) {
      const raw = await admitted(token);
      expect(codesIn(await responseTo(raw, { query, variables })), query.slice(0, 60)).to.deep.equal(['error', code]);
      raw.socket.close();
      await raw.closed;
    }
  });

  it('rejects subscriptions and connections over the limit of a member', async () => {
    const member = await buildMember(app.url);
    const { token } = member;
    const [first] = [await admitted(token), await admitted(token)];
    const third = await openSocket(app.url);
    init(third, token);
    expect(await third.closed).to.equal('1013 RATE_LIMITED');
    for (const id of ['a', 'b']) send(first, { id, type: 'subscribe', payload: { query: SUBSCRIBE } });
    const rejected = await responseTo(first, { query: SUBSCRIBE });
    expect(codesIn(rejected)).to.deep.equal(['error', 'RATE_LIMITED']);
    expect(JSON.stringify(rejected)).to.include('2');
    send(first, { id: 'a', type: 'complete' });
    const { id } = await buildArticle(app.url, {}, member);
    const count = first.messages.length;
    send(first, { id: 'c', type: 'subscribe', payload: { query: SUBSCRIBE } });
    await buildComment(app.url, id);
    await until(() => first.messages.length === count + 2);
    expect(first.messages.slice(count).map((one) => one.id)).to.have.members(['b', 'c']);
  });

  it('stays open while the client responds to pings, and closes when it does not', async () => {
    const { token } = await buildMember(app.url);
    const [well, ill] = [await admitted(token), await admitted(token)];
    ill.socket.pause();
    const again = await until(async () => {
      const raw = await openSocket(app.url);
      init(raw, token);
      await until(() => raw.messages.length > 0 || raw.socket.readyState !== raw.socket.OPEN);
      return raw.messages.length > 0 && raw;
    });
    expect(again.messages).to.deep.equal([{ type: 'connection_ack' }]);
    expect(well.socket.readyState).to.equal(well.socket.OPEN);
  });

  it('closes with 1013 if an event cannot be executed at the moment: the client subscribes again', async () => {
    const { id, author } = await buildArticle(app.url);
    const raw = await admitted(author.token);
    send(raw, { id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } });
    await buildComment(app.url, id);
    await until(() => raw.messages.length === 2);
    const { operations } = app.services.limits;
    const { admit } = operations;
    operations.admit = (request, cost) =>
      request.viewer?.memberId === author.id
        ? Promise.reject(new AppError('SERVICE_UNAVAILABLE'))
        : admit.call(operations, request, cost);
    try {
      await buildComment(app.url, id);
      expect(await raw.closed).to.equal('1013 SERVICE_UNAVAILABLE');
    } finally {
      operations.admit = admit;
    }
  });

  it('rejects subscriptions over HTTP without an upgrade', async () => {
    const { token } = await buildMember(app.url);
    const { status, errors } = await graphql(app.url, SUBSCRIBE, {}, token);
    expect([status, errors?.[0]?.extensions.code]).to.deep.equal([400, 'BAD_REQUEST']);
    expect(errors?.[0]?.message).to.include('graphql-transport-ws');
  });
});
