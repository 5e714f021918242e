/** An SMTP server on a real socket, with scripted failures, that collects the messages that it accepts. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { ROOT } from './cli.js';
import { listen } from './server.js';

const FILES = `${ROOT}test/data/smtp/`;

/** Trusted through NODE_EXTRA_CA_CERTS. Valid for localhost and 127.0.0.1 until 2126. */
export const CERTIFICATE_FILE = `${FILES}certificate.pem`;

export const LOGIN = { user: 'daybook@example.org', password: 'p@ss:word of the tests' };

/** The stages of a connection at which it can fail. */
type Stage = 'greeting' | 'sender' | 'recipient' | 'message';

/** One connection: a status is the reply of that stage. */
export type Behavior = 'accept' | { at: Stage; reply: number | 'hang' | 'disconnect' };

export interface ReceivedMail {
  /** Addresses of the envelope. */
  from: string;
  to: string[];
  isEncrypted: boolean;
  /** By lowercase name, decoded. */
  headers: Map<string, string>;
  /** The complete message. */
  raw: string;
  text: string;
  html: string;
}

export interface SmtpServer {
  port: number;
  /** The environment for a service that uses it without TLS. */
  environment: { SMTP_URL: string; MAIL_FROM: string };
  /** With LOGIN, and with STARTTLS. */
  urlWithLogin: string;
  /** Every connection. */
  connections(): number;
  messages: ReceivedMail[];
  /** The Message-ID of each message, including rejected ones. */
  messageIds: string[];
  /** Sets the behaviors of the next connections, one each; the last one is repeated. Clears `messages` and `messageIds`. */
  setBehaviors(...behaviors: Behavior[]): void;
  close(): Promise<void>;
}

/** @param withTls whether it offers STARTTLS */
export async function startSmtp({ withTls = false } = {}): Promise<SmtpServer> {
  const messages: ReceivedMail[] = [];
  const messageIds: string[] = [];
  let behaviors: Behavior[] = ['accept'];
  let connections = 0;
  const chosen = new Map<string, Behavior>();
  const server = new SMTPServer({
    key: await readFile(`${FILES}key.pem`),
    cert: await readFile(CERTIFICATE_FILE),
    disabledCommands: withTls ? [] : ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: ({ id }, done) => {
      const behavior = behaviors[Math.min(connections, behaviors.length - 1)] ?? 'accept';
      connections++;
      chosen.set(id, behavior);
      act('greeting', id, done);
    },
    onAuth: ({ username, password }, _session, done) => {
      if (username === LOGIN.user && password === LOGIN.password) done(null, { user: username });
      else done(replyWith(535));
    },
    onMailFrom: (_address, { id }, done) => act('sender', id, done),
    onRcptTo: ({ address }, { id }, done) => act('recipient', id, done, address),
    onData: (stream, session, done) => {
      const behavior = chosen.get(session.id);
      const { mailFrom, rcptTo } = session.envelope;
      if (typeof behavior === 'object' && behavior.reply === 'disconnect') return stream.once('data', disconnect);
      buffer(stream)
        .then((raw) => {
          messageIds.push(parse(raw).headers.get('message-id') ?? '');
          act('message', session.id, (error) => {
            if (!error) {
              const to = rcptTo.map(({ address }) => address);
              const from = mailFrom ? mailFrom.address : '';
              messages.push({ from, to, isEncrypted: session.secure, ...parse(raw) });
            }
            done(error);
          });
        })
        .catch(done);
      return undefined;
    },
  });
  // Clients disconnect in some tests.
  server.on('error', () => {});
  const port = await listen(server.server);

  function act(stage: Stage, id: string, done: (error?: Error | null) => void, address = ''): void {
    const behavior = chosen.get(id) ?? 'accept';
    if (behavior === 'accept' || behavior.at !== stage) done();
    else if (behavior.reply === 'disconnect') disconnect();
    // As real servers do, the reply contains the address.
    else if (behavior.reply !== 'hang') done(replyWith(behavior.reply, address));
  }
  function disconnect(): void {
    for (const connection of server.connections)
      (connection as unknown as { _socket: import('node:net').Socket })._socket.destroy();
  }
  const login = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`;
  return {
    port,
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Daybook <no-reply@daybook.example>' },
    urlWithLogin: `smtp://${login}@127.0.0.1:${port}?tls=required`,
    connections: () => connections,
    messages,
    messageIds,
    setBehaviors: (...next) => {
      behaviors = next;
      connections = 0;
      messages.length = 0;
      messageIds.length = 0;
    },
    close: () => {
      disconnect();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function replyWith(responseCode: number, address = ''): Error {
  return Object.assign(new Error(`refused <${address}>`), { responseCode });
}

function parse(message: Buffer): Pick<ReceivedMail, 'headers' | 'raw' | 'text' | 'html'> {
  const raw = message.toString();
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary ? body.split(`--${boundary}`).slice(1, -1) : [];
  const part = (type: string) => {
    const found = parts
      .map((one) => split(one.trimStart()))
      .find((one) => one.headers.get('content-type')?.startsWith(type));
    return found ? decode(found.body.replace(/\r\n$/, ''), found.headers.get('content-transfer-encoding') ?? '') : '';
  };
  return { headers, raw, text: part('text/plain'), html: part('text/html') };
}

function split(message: string): { headers: Map<string, string>; body: string } {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())];
  });
  return { headers: new Map(headers), body: message.slice(end + 4) };
}

/** RFC 2047. White space between two encoded words is not part of the text. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : quoted(text.replaceAll('_', ' ')),
    );
}

function decode(body: string, encoding: string): string {
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? quoted(body)
        : body;
  return text.replaceAll('\r\n', '\n');
}

function quoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
