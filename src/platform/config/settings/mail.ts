/** Settings of email: the SMTP server, the sender, and the page that links in emails lead to. */
import { EnvError } from 'envalid';
import { isLoopback } from '../addresses.js';
import { address, ConfigError, group, makeSetting, pageUrl } from '../setting.js';

const smtpUrl = makeSetting(
  (input) => {
    smtpSettings(input);
    return input;
  },
  { whenEmpty: '' },
);

const sender = makeSetting(
  (input) => {
    senderFrom(input);
    return input;
  },
  { whenEmpty: '' },
);

export const mailSettings = group('Email', {
  SMTP_URL: smtpUrl({
    default: '',
    effectiveDefault: 'none: no email is sent',
    expected:
      'a URL such as smtp://user:password@host:587 or smtps://user:password@host:465, with ?tls=required or ?tls=off at most',
    description:
      'URL of the SMTP server that sends the emails of the service ([email](mail.md)). `smtp:` requires STARTTLS, except on a loopback address or with `?tls=off`; `smtps:` uses TLS from the beginning.',
    isSecret: true,
  }),
  MAIL_FROM: sender({
    default: '',
    effectiveDefault: 'none',
    expected: 'an address such as no-reply@example.org or Daybook <no-reply@example.org>',
    description: 'Sender of all emails. Required with `SMTP_URL`.',
  }),
  ACCOUNT_URL: pageUrl({
    default: '',
    effectiveDefault: '`PUBLIC_URL/account`',
    expected: 'a URL without a query and a fragment, such as https://example.org/account',
    description:
      'URL of the page of the frontend for links in emails; `/reset`, `/confirm` or `/undo` and the token are appended.',
  }),
});

/** An address with a display name, which may be empty. */
interface Sender {
  name: string;
  address: string;
}

interface SmtpSettings {
  host: string;
  port: number;
  /** `implicit`: from the beginning (smtps). `required`: by STARTTLS, or no email is sent. */
  tls: 'implicit' | 'required' | 'off';
  /** Null: without authentication. */
  login: { user: string; password: string } | null;
}

export interface MailSettings {
  smtp: SmtpSettings;
  from: Sender;
}

interface Environment {
  SMTP_URL: string;
  MAIL_FROM: string;
}

/** Null if no SMTP server is set. @throws ConfigError if the sender is missing */
export function readMail({ SMTP_URL: url, MAIL_FROM: from }: Environment): MailSettings | null {
  if (!url) return null;
  if (!from) throw new ConfigError('MAIL_FROM must be set, since SMTP_URL is set.');
  return { smtp: smtpSettings(url), from: senderFrom(from) };
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** @throws EnvError */
function smtpSettings(input: string): SmtpSettings {
  const url = new URL(address(input, Object.keys(PORTS)));
  const { protocol, hostname, pathname, hash, searchParams } = url;
  const isOther = !hostname || !['', '/'].includes(pathname) || hash || [...searchParams.keys()].join() !== tlsKey(url);
  const login = { user: decode(url.username), password: decode(url.password) };
  if (isOther || (login.user === '') !== (login.password === '')) throw new EnvError();
  return {
    // IPv6 addresses are in brackets in URLs only.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (PORTS[protocol] as number),
    tls: tlsOf(url),
    login: login.user ? login : null,
  };
}

function tlsKey({ searchParams }: URL): string {
  return searchParams.has('tls') ? 'tls' : '';
}

/** @throws EnvError */
function tlsOf({ protocol, hostname, searchParams }: URL): SmtpSettings['tls'] {
  const given = searchParams.get('tls');
  if (protocol === 'smtps:') {
    if (given === 'off') throw new EnvError();
    return 'implicit';
  }
  if (given === 'required' || given === 'off') return given;
  if (given !== null) throw new EnvError();
  return isLoopback(hostname.toLowerCase()) ? 'off' : 'required';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new EnvError();
  }
}

const SENDER = /^(?:"?(?<name>[^"<>\p{Cc}]{0,100}?)"? ?<(?<inBrackets>[^<>]+)>|(?<alone>[^<>]+))$/u;
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
const ADDRESS = new RegExp(`^[^\\s\\p{Cc}\\p{Cf}@"(),:;<>[\\]\\\\]{1,64}@${LABEL}(?:\\.${LABEL})*$`, 'u');

/** @throws EnvError */
function senderFrom(input: string): Sender {
  const { name = '', inBrackets, alone } = SENDER.exec(input.trim())?.groups ?? {};
  const found = inBrackets ?? alone ?? '';
  if (!ADDRESS.test(found) || found.length > 254) throw new EnvError();
  return { name: name.trim(), address: found };
}
