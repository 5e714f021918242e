/** Messages over WebSocket. */
import { ACKNOWLEDGED, type Attack, PING } from '../attack.js';
import { lazily, times } from '../requests.js';

const json = JSON.stringify;

const init = (token: string) => json({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });

function subscribe(id: string, query: string, variables: object = {}): string {
  return json({ id, type: 'subscribe', payload: { query, variables } });
}

const REJECTED = ['error BAD_REQUEST', 'error QUERY_TOO_COMPLEX', 'error VALIDATION_FAILED'];

const CONTENT = times(30, (n) => `a${n}: article { content }`).join(' ');
const HTML = times(30, (n) => `a${n}: article { contentHtml }`).join(' ');
const REPLIES = 'comment { replies { article { content comments(first: 100) { edges { node { content } } } } } }';

export const socketAttacks: Readonly<Record<string, Attack>> = {
  'a flood of documents of 60 kB that are invalid': {
    sockets: 4,
    expected: REJECTED,
    messages: function* ({ attacker }, socket) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      const unknown = times(100, (n) => `unknown${n}`).join(' ');
      const lines = '\n'.repeat(25_000);
      for (let n = 0; n < 250; n++) yield subscribe(`${n}`, `subscription { ${lines} ${unknown} a${socket}x${n} }`);
    },
  },
  'a flood of small documents that are invalid, each under a new id': {
    sockets: 4,
    expected: REJECTED,
    messages: function* ({ attacker }) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      for (let n = 0; n < 3_000; n++) yield subscribe(`${n}`, `subscription { unknown${n} }`);
    },
  },
  'subscriptions that begin and end at once': {
    sockets: 4,
    expected: REJECTED,
    messages: function* ({ attacker }) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      for (let n = 0; n < 1_500; n++) {
        yield subscribe(`${n}`, 'subscription { notificationReceived { id } }');
        yield json({ id: `${n}`, type: 'complete' });
      }
    },
  },
  'a flood of pings, in frames and in messages': {
    sockets: 4,
    expected: [],
    messages: function* ({ attacker }) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      for (let n = 0; n < 10_000; n++) yield n % 2 ? PING : json({ type: 'ping', payload: { n } });
    },
  },
  'a connection that is initialized again and again': {
    sockets: 8,
    expected: [],
    messages: function* ({ attacker }) {
      for (let n = 0; n < 200; n++) yield init(attacker.token);
    },
  },
  'tokens that are rejected, over 200 connections': {
    sockets: 200,
    expected: [],
    messages: (_, socket) => [init(`not a token ${socket}`)],
  },
  '200 connections that are not initialized and send other messages': {
    sockets: 200,
    expected: [],
    messages: () => lazily(50, (n) => (n % 2 ? PING : json({ type: 'ping' }))),
  },
  'messages that are no JSON, nested deeply, or larger than allowed': {
    sockets: 8,
    expected: REJECTED,
    messages: function* ({ attacker }, socket) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      const messages = [
        '{',
        '['.repeat(60_000),
        `{"id":"1","type":"subscribe","payload":${'{"query":'.repeat(6_000)}1${'}'.repeat(6_000)}}`,
        'x'.repeat(200_000),
      ];
      yield messages[socket % messages.length] ?? '';
    },
  },
  'wrong variables of a subscription under 50,000 line feeds': {
    sockets: 4,
    expected: REJECTED,
    messages: function* ({ attacker }) {
      yield init(attacker.token);
      yield ACKNOWLEDGED;
      const lines = '\n'.repeat(15_000);
      for (let n = 0; n < 50; n++) {
        const variables = { after: times(8_000, () => ({})), extra: n };
        yield subscribe(
          `${n}`,
          `subscription ($after: ID) {${lines} notificationReceived(after: $after) { id } }`,
          variables,
        );
      }
    },
  },
  ...Object.fromEntries(
    Object.entries({ content: CONTENT, 'rendered content': HTML, 'content of the replies': REPLIES }).map(
      ([what, selection]): [string, Attack] => [
        `a subscription whose 100 events each have 3 MB of ${what}`,
        {
          sockets: 4,
          keepOpenMs: 2_000,
          expected: REJECTED,
          messages: ({ attacker }) => [
            init(attacker.token),
            ACKNOWLEDGED,
            ...times(5, (n) =>
              subscribe(`${n}`, `subscription { notificationReceived(after: 0) { id ${selection} } }`),
            ),
          ],
        },
      ],
    ),
  ),
};
