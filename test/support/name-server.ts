/** A name server on this machine, to which the look-ups of the tests of the calling `describe` are sent. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';

/** Addresses of the response, a code of an error (2: SERVFAIL, 3: NXDOMAIN), or none at all. */
type Answer = readonly string[] | number | 'silent';

export interface NameServer {
  /** Asked for each query. Default: there is no such name. */
  answer: (name: string) => Answer;
  /** Of names from which the aliases in front of the addresses follow. */
  aliases: number;
  queries: string[];
  /** Names that were looked up with a thread; they do not exist. */
  threads: string[];
}

const A = 1;
const CNAME = 5;
const AAAA = 28;

export function useNameServer(): NameServer {
  const server: NameServer = { answer: () => 3, aliases: 0, queries: [], threads: [] };
  const originals = { Resolver: dns.promises.Resolver, lookup: dns.promises.lookup };
  const replace = (values: object) => {
    Object.assign(dns.promises, values);
    syncBuiltinESMExports();
  };
  let socket: Socket;
  before(async () => {
    socket = createSocket('udp4').on('message', (query, from) => respond(socket, server, query, from));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const address = `127.0.0.1:${socket.address().port}`;
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
    Object.assign(server, { answer: () => 3, aliases: 0, queries: [], threads: [] });
  });
  after(() => {
    replace(originals);
    socket.close();
  });
  return server;
}

/** RFC 1035 §4: the question is repeated, and the names of its records point to it. */
function respond(socket: Socket, server: NameServer, query: Buffer, { port, address }: RemoteInfo): void {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const type = query.readUInt16BE(at + 1);
  server.queries.push(name);
  const answer = server.answer(name);
  if (answer === 'silent') return;
  const isList = typeof answer !== 'number';
  const found = isList ? answer.filter((one) => isIP(one) === (type === A ? 4 : type === AAAA ? 6 : 0)) : [];
  const records: Buffer[] = [];
  let owner = pointer(12);
  for (let index = 0; index < server.aliases; index++) {
    const label = Buffer.from(`a${index}`);
    const alias = Buffer.concat([Buffer.from([label.length]), label, pointer(12)]);
    records.push(record(owner, CNAME, alias));
    owner = alias;
  }
  for (const one of found) records.push(record(owner, type, bytesOf(one)));
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (isList ? 0 : answer), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), port, address);
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
