/** `daybook invite`: creates invitations for registration. */
import { InvalidArgumentError, Option } from 'commander';
import ms, { type StringValue } from 'ms';
import type { InviteOptions } from './invite/run.js';
import type { About, Subcommands } from './subcommand.js';

const ABOUT: About = {
  summary: 'create invitations for registration',
  description: `
Prints one invitation per line. Each allows one registration, or one first social login, while REGISTRATION is invite; clients
send it as "invitation". Only a hash is stored: an invitation cannot be printed again.`.trim(),
  examples: [
    ['npx daybook invite', 'one invitation, valid for seven days'],
    ['npx daybook invite --count 10 --expires 30d', 'ten invitations, valid for thirty days'],
  ],
};

const MAX_COUNT = 1_000;
const MAX_LIFETIME_MS = ms('365d');

export function addInvite({ add, withExitCode, terminal }: Subcommands): void {
  add('invite', ABOUT)
    .option('-n, --count <number>', 'number of invitations, at most 1000', count, 1)
    .addOption(
      new Option('-e, --expires <duration>', 'lifetime such as 12h or 7d, at most 365d')
        .argParser(lifetime)
        .default(ms('7d'), '7d'),
    )
    .action(
      withExitCode(async (options: InviteOptions) => {
        const { runInvite } = await import('./invite/run.js');
        return runInvite(options, terminal);
      }),
    );
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX_COUNT) return value;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MAX_COUNT}.`);
}

function lifetime(text: string): number {
  const value = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as StringValue) : undefined;
  if (value !== undefined && value >= 1_000 && value <= MAX_LIFETIME_MS) return value;
  throw new InvalidArgumentError('Expected a duration from 1s to 365d, such as 7d.');
}
