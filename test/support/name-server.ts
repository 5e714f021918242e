/** A name server on this machine, to which the look-ups of the tests of the calling `describe` are sent. */
import { createSocket, type Socket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, isIP, type Server } from 'node:net';
import { freePort } from './server.js';

/** Addresses of the response, a code of an error (2: SERVFAIL, 3: NXDOMAIN), an empty response that says that it is truncated, or none at all. */
type Answer = readonly string[] | number | 'truncated' | 'silent';

export interface NameServer {
  /** Asked for each query. Default: there is no such name. */
  answer: (name: string, transport: 'UDP' | 'TCP') => Answer | Promise<Answer>;
  /** Of names from which the aliases in front of the addresses follow. */
  aliases: number;
  /** Whether a response with another id, and with the address 203.0.113.66, is sent before each one. */
  isForged: boolean;
  queries: string[];
  /** Names that were looked up with a thread; they do not exist. */
  threads: string[];
}

const A = 1;
const CNAME = 5;
const AAAA = 28;

export function useNameServer(): NameServer {
  const initial = () => ({ answer: () => 3, aliases: 0, isForged: false, queries: [], threads: [] });
  const server: NameServer = initial();
  const originals = { Resolver: dns.promises.Resolver, lookup: dns.promises.lookup };
  const replace = (values: object) => {
    Object.assign(dns.promises, values);
    syncBuiltinESMExports();
  };
  let udp: Socket;
  let tcp: Server;
  before(async () => {
    const port = await freePort();
    udp = createSocket('udp4').on('message', (query, from) =>
      respond(server, 'UDP', query, (response) => udp.send(response, from.port, from.address)),
    );
    udp.bind(port, '127.0.0.1');
    tcp = createServer((socket) => {
      let received = Buffer.alloc(0);
      socket
        .on('error', () => {})
        .on('data', (data) => {
          received = Buffer.concat([received, data]);
          for (let end = endOf(received); end <= received.length; end = endOf(received)) {
            respond(server, 'TCP', received.subarray(2, end), (response) =>
              socket.write(Buffer.concat([Buffer.from([response.length >> 8, response.length]), response])),
            );
            received = received.subarray(end);
          }
        });
    }).listen(port, '127.0.0.1');
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    const address = `127.0.0.1:${port}`;
    class Resolver extends originals.Resolver {
      constructor(options?: dns.ResolverOptions) {
        super(options);
        this.setServers([address]);
      }
    }
    const lookup = async (name: string) => {
      server.threads.push(name);
      throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    };
    replace({ Resolver, lookup });
  });
  beforeEach(() => {
    Object.assign(server, initial());
  });
  after(() => {
    replace(originals);
    udp.close();
    tcp.close();
  });
  return server;
}

/** Of the first message, after its length (RFC 1035 §4.2.2). */
function endOf(received: Buffer): number {
  return received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0);
}

/** RFC 1035 §4: the question is repeated, and the names of its records point to it. */
async function respond(
  server: NameServer,
  transport: 'UDP' | 'TCP',
  query: Buffer,
  send: (response: Buffer) => void,
): Promise<void> {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const question = query.subarray(0, at + 5);
  server.queries.push(name);
  const answer = await server.answer(name, transport);
  if (server.isForged) {
    const response = responseTo(question, ['203.0.113.66'], 0);
    response.writeUInt16BE((query.readUInt16BE(0) + 1) % 0x1_0000, 0);
    send(response);
  }
  if (answer !== 'silent') send(responseTo(question, answer, server.aliases));
}

function responseTo(question: Buffer, answer: readonly string[] | number | 'truncated', aliases: number): Buffer {
  const type = question.readUInt16BE(question.length - 4);
  const family = type === A ? 4 : type === AAAA ? 6 : 0;
  const found = typeof answer === 'object' ? answer.filter((one) => isIP(one) === family) : [];
  const records: Buffer[] = [];
  let owner = pointer(12);
  for (let index = 0; index < aliases; index++) {
    const label = Buffer.from(`a${index}`);
    const alias = Buffer.concat([Buffer.from([label.length]), label, pointer(12)]);
    records.push(record(owner, CNAME, alias));
    owner = alias;
  }
  for (const one of found) records.push(record(owner, type, bytesOf(one)));
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (answer === 'truncated' ? 0x0200 : typeof answer === 'number' ? answer : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question.subarray(12), ...records]);
}

const pointer = (to: number) => Buffer.from([0xc0, to]);

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
}

/** @param address IPv6: with at most one `::`, without IPv4 */
function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...before, ...Array(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
