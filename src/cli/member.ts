/** `daybook member`: the subcommands that concern members. */
import { Argument, Option } from 'commander';
import { MAX_REASON_LENGTH, MAX_RULE_LENGTH } from '../models/moderation/action.js';
import { ROLE_NAMES, ROLES, type Role } from '../models/moderation/role.js';
import type { ClaimOptions, CreateOptions, ListOptions, SuspendOptions } from './member/run.js';
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';
import { displayName, emailAddress, lineOf, textOf, wholeNumber } from './subcommand.js';

const GROUP: About = {
  summary: 'list, show, create, recover, lock, suspend and delete members, and set their roles',
  description:
    'A member is given by ID or email. Except creations, changes are confirmed on the terminal or with --yes, and recorded in the audit trail.',
  examples: [['npx daybook member list --locked', 'the locked accounts']],
};

const LIST: About = {
  summary: 'list members',
  description: 'In the order of their IDs, one line for each.',
  examples: [
    ['npx daybook member list', 'the first fifty members'],
    [
      'npx daybook member list --search example.org --json',
      'those whose nickname or email contains this text, as JSON',
    ],
    ['npx daybook member list --after 50', 'the next fifty'],
  ],
};

const SHOW: About = {
  summary: 'show a member',
  description: 'The account, its login methods and content, and its latest security events.',
  examples: [['npx daybook member show mina@example.org', 'the member with this email']],
};

const CREATE: About = {
  summary: 'create an account, and print a link for its password',
  description: `
Whatever REGISTRATION is. The link works once, within an hour; "npx daybook member reset" prints another one. It leads to ACCOUNT_URL. It does not
confirm the email, which REQUIRE_VERIFIED_EMAIL needs for a login: "npx daybook member verify" does.`.trim(),
  examples: [
    ['npx daybook member create mina@example.org --role ADMIN', 'the first admin of a new service'],
    ['npx daybook member create theo@example.org --nickname theo', 'a member with this nickname'],
  ],
};

const RESET: About = {
  summary: 'print a link for a new password',
  description: `
For a member who cannot receive emails, or a service without SMTP_URL. The link works once, within an hour, and until a newer link is
requested or the password is changed. It leads to ACCOUNT_URL. The account stays locked if it is.`.trim(),
  examples: [['npx daybook member reset mina@example.org', 'after a confirmation']],
};

const VERIFY: About = {
  summary: 'confirm the email of a member',
  description: 'As if the member had used the link in the confirmation email.',
  examples: [['npx daybook member verify mina@example.org --yes', 'without a confirmation on the terminal']],
};

const LOCK: About = {
  summary: 'lock an account',
  description: `
Ends all sessions and API tokens of the member, and rejects logins until the account is unlocked. Articles and comments remain visible. Open
event streams end within a minute.`.trim(),
  examples: [['npx daybook member lock 12 --yes', 'the member with the ID 12, without a confirmation']],
};

const UNLOCK: About = {
  summary: 'unlock an account',
  description: 'The member can log in again.',
  examples: [['npx daybook member unlock mina@example.org', 'the member with this email']],
};

const DELETE: About = {
  summary: 'delete an account',
  description: `
Like a withdrawal of the member: the account, its articles with their comments, and its personal data are deleted; its comments
on articles of other members remain, without an author. This cannot be reverted: consider "npx daybook export --member" first.`.trim(),
  examples: [['npx daybook member delete mina@example.org', 'after a confirmation']],
};

const ROLE: About = {
  summary: 'set the role of a member',
  description: `
${ROLE_NAMES.map((role) => `${role}: ${ROLES[role].charAt(0).toLowerCase()}${ROLES[role].slice(1)}`).join(' ')} The last admin keeps the role.
Admins can change roles through the API too.`.trim(),
  examples: [['npx daybook member role mina@example.org ADMIN', 'after a confirmation']],
};

const SUSPEND: About = {
  summary: 'suspend a member, who can then read, but not write',
  description: `
The member can still log in, manage sessions, password and email, read, export, delete what is their own, and withdraw. API tokens of the
member are rejected, and scheduled drafts are not published. Everything that the member has written stays visible. The member sees the rule
and the statement. A suspended member gets the new end, rule and statement.`.trim(),
  examples: [
    [
      'npx daybook member suspend 12 --until 2099-01-31 --rule "No advertising" --statement "The same link in 20 comments."',
      'the member with the ID 12, until January 31, 2099, 00:00 UTC',
    ],
  ],
};

const UNSUSPEND: About = {
  summary: 'end the suspension of a member',
  description: 'Suspensions with an end need no command: they end by themselves.',
  examples: [['npx daybook member unsuspend mina@example.org', 'the member with this email']],
};

const CLAIM: About = {
  summary: 'transfer the content of an imported author to a member',
  description: `
Transfers the articles and comments of an author created by "npx daybook import", who has no login method, and deletes that
author. Articles keep their categories as far as the member can have as many. Later imports add content of the author to the
member.`.trim(),
  examples: [['npx daybook member claim 3 --for mina@example.org', 'the content of the author with the ID 3']],
};

export function addMember(commands: Subcommands): void {
  const { terminal, withExitCode } = commands;
  const run = () => import('./member/run.js');
  const { add } = commands.addGroup('member', GROUP);
  add('list', LIST)
    .option('-s, --search <text>', 'only members whose nickname or email contains this text')
    .option('--locked', 'only locked accounts')
    .option('--after <id>', 'only members with a larger ID', (text) => wholeNumber(text, 0), 0)
    .option('--limit <number>', 'number of members, at most 1000', (text) => Math.min(wholeNumber(text, 1), 1_000), 50)
    .option('--json', 'print one JSON object per line')
    .action(withExitCode(async (options: ListOptions) => (await run()).listMembers(options, terminal)));
  add('show', SHOW)
    .argument('<member>', 'ID or email')
    .action(withExitCode(async (member: string) => (await run()).showMember(member, terminal)));
  add('create', CREATE)
    .argument('<email>', 'email to log in with', emailAddress)
    .option('--nickname <name>', 'display name; by default the part of the email before the @', displayName)
    .addOption(new Option('--role <role>', 'role of the member').choices(ROLE_NAMES).default('MEMBER'))
    .action(
      withExitCode(async (email: string, options: CreateOptions) => (await run()).create(email, options, terminal)),
    );
  const change = (name: 'reset' | 'verify' | 'lock' | 'unlock' | 'unsuspend' | 'delete', about: About) =>
    add(name, about)
      .argument('<member>', 'ID or email')
      .option('-y, --yes', 'do not ask for a confirmation')
      .action(
        withExitCode(async (member: string, options: OperatorOptions) =>
          (await run()).changeMember(name, member, options, terminal),
        ),
      );
  change('reset', RESET);
  change('verify', VERIFY);
  change('lock', LOCK);
  change('unlock', UNLOCK);
  change('unsuspend', UNSUSPEND);
  change('delete', DELETE);
  add('suspend', SUSPEND)
    .argument('<member>', 'ID or email')
    .option('--until <time>', 'end in UTC, such as 2099-01-31 or 2099-01-31T12:00:00; without it, there is none')
    .requiredOption(
      '--rule <text>',
      `the rule that the member has broken: ${lineOf(MAX_RULE_LENGTH)}`,
      textOf(MAX_RULE_LENGTH),
    )
    .requiredOption('--statement <text>', `the reason: ${lineOf(MAX_REASON_LENGTH)}`, textOf(MAX_REASON_LENGTH))
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (member: string, options: SuspendOptions) => (await run()).suspend(member, options, terminal)),
    );
  add('role', ROLE)
    .argument('<member>', 'ID or email')
    .addArgument(new Argument('<role>', 'the new role').choices(ROLE_NAMES))
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (member: string, role: Role, options: OperatorOptions) =>
        (await run()).changeRole(member, role, options, terminal),
      ),
    );
  add('claim', CLAIM)
    .argument('<author>', 'ID of the imported author')
    .requiredOption('--for <member>', 'ID or email of the member')
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (author: string, options: ClaimOptions) => (await run()).claim(author, options, terminal)),
    );
}
