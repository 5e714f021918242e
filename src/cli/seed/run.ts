/** Runs `daybook seed`: hashes the password, adds the sample journal and prints the login data. */
import { randomInt } from 'node:crypto';
import { connectDatabase } from '../../models/connect-database.js';
import { loadConfig } from '../../platform/config/index.js';
import { OperatorError } from '../../platform/errors.js';
import { explainNewPassword } from '../../schema/validators.js';
import { PasswordHasher } from '../../services/auth/password.js';
import { openImageStore } from '../../services/images/store.js';
import { DONE } from '../subcommand.js';
import { ProgressLine, quantity, type Terminal } from '../terminal.js';
import { AUTHORS, emailOf } from './entry.js';
import { type LoadedSample, loadSample } from './load-sample.js';

export interface SeedOptions {
  add?: boolean;
  /** Generated if absent. */
  password?: string;
}

export async function runSeed({ add = false, password = randomPassword() }: SeedOptions, terminal: Terminal) {
  const violation = explainNewPassword(password)?.in('en');
  if (violation) throw new OperatorError(`The password ${violation}`);
  const { env, stdout, stderr } = terminal;
  const config = loadConfig(env);
  const signal = terminal.listenForStop();
  const { database, close } = await connectDatabase(config, (line) => stderr.write(`${line}\n`));
  const progress = new ProgressLine(stderr);
  try {
    const passwordHashes = await hashes(password);
    const onProgress = (now: LoadedSample, total: number) =>
      progress.show(
        () => `Seeding: ${now.articles} of ${quantity(total, 'article')}, ${quantity(now.comments, 'comment')}`,
      );
    const images = await openImageStore(config.imageStore);
    const options = { images, passwordHashes, mayAdd: add, now: new Date(), signal, onProgress };
    const loaded = await loadSample(database, options);
    progress.end();
    stdout.write(describe(loaded, password));
    return DONE;
  } finally {
    progress.end();
    await close();
  }
}

/** A separately salted hash of the password for each member, by member key. */
async function hashes(password: string): Promise<Map<string, string>> {
  const hasher = new PasswordHasher();
  const pairs = AUTHORS.map(async ({ member }) => [member.key, await hasher.hash(password, { key: 'seed' })] as const);
  return new Map(await Promise.all(pairs));
}

/** Without characters that look alike (0 and o, 1, i and l). */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A random password of 79 bits: a fixed, documented one would open every deployment where the sample journal was not removed. */
function randomPassword(): string {
  const group = () => Array.from({ length: 4 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  return [group(), group(), group(), group()].join('-');
}

function describe({ members, articles, comments, notifications }: LoadedSample, password: string): string {
  const width = Math.max(...AUTHORS.map(({ member }) => emailOf(member.key).length));
  const people = AUTHORS.map(
    ({ member: { key, nickname, role } }) =>
      `  ${emailOf(key).padEnd(width)}  ${nickname}${role ? ` (${role.toLowerCase()})` : ''}`,
  );
  return [
    `Added ${quantity(members, 'member')}, ${quantity(articles, 'article')}, ${quantity(comments, 'comment')} and ${quantity(notifications, 'notification')}.`,
    '',
    'Log in as one of them:',
    ...people,
    '',
    `with the password  ${password}`,
    'The password is not shown again.',
    '',
  ].join('\n');
}
