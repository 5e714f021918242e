/** `daybook token`: API tokens of members. */
import { InvalidArgumentError } from 'commander';
import { SCOPE_NAMES, type Scope } from '../models/session/api-token.js';
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';
import { lineOf, textOf } from './subcommand.js';
import type { CreateTokenOptions } from './token/run.js';

const GROUP: About = {
  summary: 'create, list and delete API tokens of members',
  description: 'For programs of a member, such as a static site generator. Members do the same through the API.',
  examples: [['npx daybook token create mina@example.org --scope articles', 'a token that writes articles']],
};

const CREATE: About = {
  summary: 'create and print an API token of a member',
  description: `
Prints only the token. Its hash is stored: the token cannot be printed again. The scopes are ${SCOPE_NAMES.join(', ')}: what each of them admits is in
docs/api-token-scopes.md. The creation is recorded in the audit trail, and the member gets an email about it if SMTP_URL is set.`.trim(),
  examples: [
    ['npx daybook token create mina@example.org --scope read articles', 'a token that does not expire'],
    ['npx daybook token create 12 --scope images --expires 90d', 'of the member with the ID 12, for ninety days'],
  ],
};

const LIST: About = {
  summary: 'list the API tokens of a member',
  description: 'One line for each, newest first: ID, name, scopes, and the times of creation, expiry and last use.',
  examples: [['npx daybook token list mina@example.org', 'of the member with this email']],
};

const DELETE: About = {
  summary: 'delete an API token of a member',
  description:
    'Requests with it are rejected from then on. It is confirmed on the terminal or with --yes, and recorded in the audit trail.',
  examples: [
    ['npx daybook token delete 12 0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52 --yes', 'of the member with the ID 12'],
  ],
};

const MAX_NAME = 50;

export function addToken(commands: Subcommands): void {
  const { terminal, withExitCode } = commands;
  const { add } = commands.addGroup('token', GROUP);
  add('create', CREATE)
    .argument('<member>', 'ID or email')
    .requiredOption('--scope <scopes...>', 'what the token may do besides public reads', withScope)
    .option(
      '--expires <time>',
      'a lifetime such as 90d, or a time in UTC such as 2099-01-31; without it, there is none',
    )
    .option(
      '--name <text>',
      `name in the list of the member: ${lineOf(MAX_NAME)}`,
      textOf(MAX_NAME),
      'npx daybook token create',
    )
    .action(
      withExitCode(async (member: string, options: CreateTokenOptions) => {
        const { createToken } = await import('./token/run.js');
        return createToken(member, options, terminal);
      }),
    );
  add('list', LIST)
    .argument('<member>', 'ID or email')
    .action(
      withExitCode(async (member: string) => {
        const { listTokens } = await import('./token/run.js');
        return listTokens(member, terminal);
      }),
    );
  add('delete', DELETE)
    .argument('<member>', 'ID or email')
    .argument('<id>', 'ID of the token')
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (member: string, id: string, options: OperatorOptions) => {
        const { deleteToken } = await import('./token/run.js');
        return deleteToken(member, id, options, terminal);
      }),
    );
}

function withScope(text: string, given: readonly Scope[] = []): Scope[] {
  const scopes = text.split(/[\s,]+/).map((name) => {
    const scope = SCOPE_NAMES.find((known) => known === name);
    if (!scope) throw new InvalidArgumentError(`Expected ${SCOPE_NAMES.join(', ')}.`);
    return scope;
  });
  return SCOPE_NAMES.filter((scope) => given.includes(scope) || scopes.includes(scope));
}
