/** Runs the subcommands of `daybook member`. */
import { createMember, createResetLink, setMemberLocked, verifyMember } from '../../commands/administer-member.js';
import { setRoleByOperator } from '../../commands/change-role.js';
import { claimAuthor } from '../../commands/claim-author.js';
import { decideOnMember, NO_REASONS } from '../../commands/decide.js';
import { deleteMember } from '../../commands/withdraw.js';
import { MAX_DRAFT_BYTES, MAX_DRAFTS } from '../../models/draft/draft.js';
import { ADMINISTERED_MEMBERS, type AdministeredMember } from '../../models/member/administration.js';
import type { Role } from '../../models/moderation/role.js';
import type { Suspension } from '../../models/moderation/suspension.js';
import { MAX_SERIES } from '../../models/series.js';
import { MEMBER_EVENTS } from '../../models/session/security-event.js';
import { AppError, OperatorError } from '../../platform/errors.js';
import { parseTime } from '../../schema/scalars.js';
import { linkTo } from '../../services/mail/link.js';
import { asOperator, type Operator, type OperatorOptions } from '../operator.js';
import { quantity, type Terminal } from '../terminal.js';

export interface ListOptions {
  search?: string;
  locked?: boolean;
  after: number;
  limit: number;
  json?: boolean;
}

export interface ClaimOptions extends OperatorOptions {
  /** Id or email of the member. */
  for: string;
}

export interface CreateOptions {
  nickname?: string;
  role: Role;
}

export interface SuspendOptions extends OperatorOptions {
  /** Absent: without end. */
  until?: string;
  rule: string;
  statement: string;
}

const EVENTS_SHOWN = 10;

export function listMembers({ search, locked = false, after, limit, json }: ListOptions, terminal: Terminal) {
  return asOperator(terminal, 'member list', {}, async ({ database, print }) => {
    const members = await database.query(ADMINISTERED_MEMBERS, [after, search ?? null, locked, limit]);
    for (const member of members) print(json ? JSON.stringify(publicFields(member)) : lineOf(member));
    if (members.length === limit) {
      terminal.stderr.write(`There may be more: continue with --after ${members.at(-1)?.id}.\n`);
    }
  });
}

/** Without the password hash. */
function publicFields({ passwordHash, ...member }: AdministeredMember): object {
  return { ...member, hasPassword: passwordHash !== null };
}

function lineOf(member: AdministeredMember): string {
  const { id, nickname, email, articles, comments, lockedAt, role, suspension } = member;
  const marks = [role !== 'MEMBER' && role.toLowerCase(), lockedAt && 'locked', suspension && 'suspended'];
  return `${id}  ${nickname}  ${email ?? 'no email'}  ${quantity(articles, 'article')}, ${quantity(comments, 'comment')}${['', ...marks.filter(Boolean)].join('  ')}`;
}

export function showMember(idOrEmail: string, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'member show', {}, async (operator) => {
    const member = await operator.member(idOrEmail);
    const { id, nickname, email, emailVerified, memberName, createdAt, lockedAt, articles, comments } = member;
    const { sessions, apiTokens, role, suspension } = member;
    const facts: [string, string | number][] = [
      ['ID', id],
      ['Nickname', nickname],
      ['Name', memberName],
      ['Email', email === null ? 'none' : `${email} (${emailVerified ? 'confirmed' : 'not confirmed'})`],
      ['Registered', createdAt.toISOString()],
      ['Role', role],
      ['State', lockedAt ? `locked since ${lockedAt.toISOString()}` : 'active'],
      ...(suspension ? suspensionFacts(suspension) : []),
      ['Login methods', loginMethods(member).join(', ') || 'none'],
      ['Sessions', sessions],
      ['API tokens', apiTokens],
      ['Articles', articles],
      ['Comments', comments],
    ];
    for (const [name, value] of facts) operator.print(`${name.padEnd(15)}${value}`);
    const events = await operator.database.query(MEMBER_EVENTS, [id, EVENTS_SHOWN, 0]);
    if (events.length > 0) operator.print('Latest security events (UTC):');
    for (const { createdAt: time, kind, address, device } of events) {
      operator.print(`  ${time.toISOString()}  ${kind.padEnd(20)}  ${[address, device].filter(Boolean).join(' ')}`);
    }
  });
}

export function create(email: string, { nickname, role }: CreateOptions, terminal: Terminal) {
  return asOperator(terminal, 'member create', {}, async (operator) => {
    const created = await createMember(operator.source, { email, nickname: nickname ?? null, role }).catch(
      (error: unknown) => {
        const key = error instanceof AppError ? error.key : null;
        if (key === 'EMAIL_TAKEN') throw new OperatorError(`A member already has the email ${JSON.stringify(email)}`);
        if (key === 'NICKNAME_TAKEN' && nickname !== undefined)
          throw new OperatorError(
            `A member already has the nickname ${JSON.stringify(nickname)}, or one that looks alike`,
          );
        throw error;
      },
    );
    operator.print(`Created ${nameOf(created)} with the role ${role}. Link for the password:`);
    operator.print(linkTo(operator.config, 'reset', created.token));
  });
}

function suspensionFacts({ since, until, rule, statement }: Suspension): [string, string][] {
  const end = until === null ? 'without end' : `until ${new Date(until).toISOString()}`;
  return [
    ['Suspended', `since ${new Date(since).toISOString()} ${end}`],
    ['Rule', rule],
    ['Statement', statement],
  ];
}

function loginMethods({ passwordHash, providers, passkeys }: AdministeredMember): string[] {
  const password = passwordHash === null ? [] : ['password'];
  return [...password, ...providers, ...(passkeys > 0 ? [quantity(passkeys, 'passkey')] : [])];
}

type Change = (operator: Operator, member: AdministeredMember) => Promise<void>;

const CHANGES: Record<'reset' | 'verify' | 'lock' | 'unlock' | 'unsuspend' | 'delete', Change> = {
  reset: printResetLink,
  verify: async (operator, member) => {
    const { id, email, emailVerified } = member;
    requireEmail(member);
    if (emailVerified) throw new OperatorError(`The email of ${nameOf(member)} is already confirmed`);
    await operator.confirm(`Confirm that ${email} belongs to ${nameOf(member)}`);
    const isVerified = await verifyMember(operator.source, id, email as string);
    if (!isVerified) throw new OperatorError(`The email of ${nameOf(member)} has changed: run the command again`);
    operator.print(`Confirmed the email of ${nameOf(member)}.`);
  },
  lock: async (operator, member) => {
    if (member.lockedAt) throw new OperatorError(`${nameOf(member)} is already locked`);
    await operator.confirm(
      `Lock ${nameOf(member)} and end ${quantity(member.sessions, 'session')} and ${quantity(member.apiTokens, 'API token')}`,
    );
    await setMemberLocked(operator.source, member.id, true);
    operator.print(`Locked ${nameOf(member)}.`);
  },
  unlock: async (operator, member) => {
    if (!member.lockedAt) throw new OperatorError(`${nameOf(member)} is not locked`);
    await operator.confirm(`Unlock ${nameOf(member)}`);
    await setMemberLocked(operator.source, member.id, false);
    operator.print(`Unlocked ${nameOf(member)}.`);
  },
  unsuspend: async (operator, member) => {
    if (!member.suspension) throw new OperatorError(`${nameOf(member)} is not suspended`);
    await operator.confirm(`End the suspension of ${nameOf(member)}`);
    await decideOnMember(operator.source, member.id, 'UNSUSPEND', NO_REASONS);
    operator.print(`Ended the suspension of ${nameOf(member)}.`);
  },
  delete: async (operator, member) => {
    const { articles, comments } = member;
    await operator.confirm(
      `Delete ${nameOf(member)} with ${quantity(articles, 'article')} and ${quantity(comments, 'comment')}`,
    );
    await operator.record({ kind: 'ACCOUNT_DELETED', memberId: null }, (db) => deleteMember(db, member.id));
    operator.print(`Deleted ${nameOf(member)}.`);
  },
};

export function changeMember(
  change: keyof typeof CHANGES,
  idOrEmail: string,
  options: OperatorOptions,
  terminal: Terminal,
): Promise<number> {
  const command = `member ${change}`;
  return asOperator(terminal, command, options, async (operator) =>
    CHANGES[change](operator, await operator.member(idOrEmail)),
  );
}

export function suspend(
  idOrEmail: string,
  { until, rule, statement, ...options }: SuspendOptions,
  terminal: Terminal,
): Promise<number> {
  return asOperator(terminal, 'member suspend', options, async (operator) => {
    const end = until === undefined ? null : endOf(until, operator.database.now());
    const member = await operator.member(idOrEmail);
    const times = end === null ? 'without end' : `until ${end}`;
    await operator.confirm(`Suspend ${nameOf(member)} ${times}`);
    await decideOnMember(operator.source, member.id, 'SUSPEND', { ...NO_REASONS, until: end, rule, statement });
    operator.print(`Suspended ${nameOf(member)} ${times}.`);
  });
}

/** @returns the time in RFC 3339. @throws {OperatorError} unless it is in the future */
export function endOf(text: string, now: number): string {
  const time = parseTime(text);
  if (time !== null && Date.parse(time) > now) return time;
  throw new OperatorError(
    `--until must be a future time such as 2099-01-31 or 2099-01-31T12:00:00, not ${JSON.stringify(text)}`,
  );
}

export function changeRole(
  idOrEmail: string,
  role: Role,
  options: OperatorOptions,
  terminal: Terminal,
): Promise<number> {
  return asOperator(terminal, 'member role', options, async (operator) => {
    const member = await operator.member(idOrEmail);
    if (member.role === role) throw new OperatorError(`${nameOf(member)} already has the role ${role}`);
    await operator.confirm(`Change the role of ${nameOf(member)} from ${member.role} to ${role}`);
    await setRoleByOperator(operator.source, { memberId: member.id, role }).catch((error: unknown) => {
      throw error instanceof AppError ? new OperatorError(error.message.replace(/\.$/, '')) : error;
    });
    operator.print(`${nameOf(member)} now has the role ${role}.`);
  });
}

/** Works without SMTP_URL. */
async function printResetLink(operator: Operator, member: AdministeredMember): Promise<void> {
  requireEmail(member);
  await operator.confirm(`Print a link for a new password of ${nameOf(member)}, which replaces an earlier one`);
  const token = await createResetLink(operator.source, member.id);
  operator.print(linkTo(operator.config, 'reset', token));
}

/** @throws {OperatorError} */
function requireEmail(member: AdministeredMember): void {
  if (member.email === null) throw new OperatorError(`${nameOf(member)} has no email to log in with`);
}

function nameOf({ id, nickname }: Pick<AdministeredMember, 'id' | 'nickname'>): string {
  return `${nickname} (member ${id})`;
}

/** For an error of `claimAuthor`, whose message is for the member. */
function asNoRoom(error: unknown, member: AdministeredMember): unknown {
  const noRoom = (texts: string, more: string, way: string) =>
    new OperatorError(
      `Nothing was transferred: with the ${texts} of the author, ${nameOf(member)} would have more than ${more}. The member has to ${way} some first`,
    );
  const key = error instanceof AppError ? error.key : null;
  const mebibytes = MAX_DRAFT_BYTES / 1024 / 1024;
  if (key === 'DRAFT_LIMIT_REACHED')
    return noRoom('drafts', `${MAX_DRAFTS}, or more than ${mebibytes} MiB of text in them`, 'publish or delete');
  return key === 'SERIES_LIMIT_REACHED' ? noRoom('series', `${MAX_SERIES}`, 'delete') : error;
}

export function claim(authorId: string, { for: idOrEmail, ...options }: ClaimOptions, terminal: Terminal) {
  return asOperator(terminal, 'member claim', options, async (operator) => {
    const [author, member] = [await operator.member(authorId), await operator.member(idOrEmail)];
    if (author.id === member.id) throw new OperatorError('The author and the member are the same account');
    if (author.email !== null || loginMethods(author).length > 0) {
      throw new OperatorError(`${nameOf(author)} has an email or a login method: only imported authors can be claimed`);
    }
    const { articles, comments } = author;
    await operator.confirm(
      `Transfer ${quantity(articles, 'article')} and ${quantity(comments, 'comment')} of ${nameOf(author)} to ${nameOf(member)}, and delete the author`,
    );
    const claimed = await claimAuthor(operator.source, { authorId: author.id, memberId: member.id }).catch((error) => {
      throw asNoRoom(error, member);
    });
    const texts = `${quantity(claimed.articles, 'article')}, ${quantity(claimed.drafts, 'draft')} and ${quantity(claimed.comments, 'comment')}`;
    operator.print(`Transferred ${texts} to ${nameOf(member)}.`);
  });
}
