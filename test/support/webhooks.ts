/** Receivers of webhooks, and the deliveries of the service with a clock of their own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { WebhookDeliveries } from '../../src/jobs/webhooks.js';
import type { Database } from '../../src/platform/database/pool.js';
import type { TestApp } from './app.js';
import type { BuiltMember } from './build.js';
import { numberChanges } from './changes.js';
import { call, expectStatus } from './client.js';
import { closeServer, listen } from './server.js';

/** For the receivers of the tests. The tokens do not expire with their clock. */
export const LOOPBACK = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', ACCESS_TOKEN_TTL: '30d', REFRESH_TOKEN_TTL: '60d' };

export interface ReceivedMessage {
  id: string;
  timestamp: number;
  signature: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the message is read without a type, as by its receivers.
  body: any;
  headers: IncomingMessage['headers'];
}

type Respond = (response: ServerResponse, message: ReceivedMessage) => void;

export interface Receiver {
  url: string;
  received: ReceivedMessage[];
  /** Of the next messages. Default: 204. */
  respond: Respond;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(code, headers).end();

/** For the tests of the calling `describe`. */
export function useReceiver(): Receiver {
  const receiver: Receiver = { url: '', received: [], respond: status(204) };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { headers } = request;
    const message = {
      ...{ id: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']) },
      ...{ signature: String(headers['webhook-signature']), text, body: JSON.parse(text), headers },
    };
    receiver.received.push(message);
    receiver.respond(response, message);
  });
  before(async () => {
    receiver.url = `http://127.0.0.1:${await listen(server)}/hook`;
  });
  beforeEach(() => {
    Object.assign(receiver, { received: [], respond: status(204) });
  });
  after(() => closeServer(server));
  return receiver;
}

/** As the library that receivers use does, but at the time of the message. */
export function isSigned({ id, timestamp, signature, text }: ReceivedMessage, secret: string): boolean {
  return signature.split(' ').includes(new Webhook(secret).sign(id, new Date(timestamp * 1000), text));
}

export const briefMessage = ({ body }: ReceivedMessage): string => `${body.type} ${body.data.id}`;

export interface CreatedWebhook {
  id: number;
  secret: string;
  [field: string]: unknown;
}

export async function createWebhook(
  { url }: TestApp,
  { token, password }: BuiltMember,
  address: string,
  events: readonly string[],
): Promise<CreatedWebhook> {
  const json = { url: address, events, password };
  return (await expectStatus(call(url, 'POST /api/webhooks', { token, json }), 201, '1')).body?.data as CreatedWebhook;
}

/** Disabled, at an expired cursor, and with a secret that cannot be decrypted: nothing is sent. @returns its id */
export async function insertWebhook({ sequelize }: Pick<Database, 'sequelize'>): Promise<number> {
  const [rows] = await sequelize.query(`insert into webhooks (url, events, secret, is_enabled, cursor, position)
    values ('https://hooks.example.org/', '{changes}', decode(repeat('00', 64), 'hex'), false, 'FFFFFFFFFFFFFFFFFFFF.0.0', 0) returning id`);
  return Number((rows as { id: string }[])[0]?.id);
}

/** Before each test, deletes the webhooks of those before it, which would receive its changes, and sets the clock. */
export function useDeliveries(app: TestApp) {
  let aheadMs = 0;
  let now: () => number;
  const hooks = {
    deliveries: {} as WebhookDeliveries,
    advance: (ms: number) => {
      aheadMs += ms;
    },
    /** Gives numbers, and runs what is due to its end. */
    async deliver(): Promise<void> {
      await numberChanges(app.database);
      await hooks.deliveries.startDue();
      await hooks.deliveries.settled();
    },
  };
  before(() => {
    now = app.database.now.bind(app.database);
    app.database.now = () => now() + aheadMs;
  });
  beforeEach(async () => {
    aheadMs = 0;
    hooks.deliveries = new WebhookDeliveries(app.services);
    await app.database.sequelize.query('delete from webhooks');
    await numberChanges(app.database);
  });
  after(() => {
    app.database.now = now;
  });
  return hooks;
}

export async function webhookOf({ url }: TestApp, { token }: BuiltMember, id: number) {
  const { status, body } = await call(url, `GET /api/webhooks/${id}`, { token });
  expect(status).to.equal(200);
  return body?.data;
}

export async function attemptsOf({ url }: TestApp, { token }: BuiltMember, id: number) {
  return (await call(url, `GET /api/webhooks/${id}/attempts?size=100`, { token })).body?.data.contents;
}
