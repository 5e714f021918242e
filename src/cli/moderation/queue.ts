/** Runs the subcommands of `daybook moderation`. */
import { decideAppeal } from '../../commands/appeal.js';
import { decide, NO_REASONS, possibleFor } from '../../commands/decide.js';
import { EXPLAINED } from '../../models/decision/decision.js';
import { QUEUE_PAGE, type QueueEntry } from '../../models/decision/queue.js';
import type { DecisionAction } from '../../models/moderation/action.js';
import { AppError, OperatorError } from '../../platform/errors.js';
import { beginningOf } from '../../platform/text.js';
import { endOf } from '../member/run.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import { quantity, type Terminal } from '../terminal.js';

export interface QueueOptions {
  limit: number;
  json?: boolean;
}

export interface DecideOptions extends OperatorOptions {
  article?: number;
  comment?: number;
  member?: number;
  appeal?: number;
  until?: string;
  rule?: string;
  statement?: string;
  note?: string;
}

export function listQueue({ limit, json }: QueueOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'moderation list', {}, async ({ database, print }) => {
    const entries = await database.query(QUEUE_PAGE, [limit, 0, 0]);
    if (entries.length === 0) terminal.stderr.write('Nothing waits for a decision.\n');
    for (const entry of entries) print(json ? JSON.stringify(entry) : lineOf(entry));
  });
}

const EXCERPT_LENGTH = 60;

function lineOf({ kind, target, authorName, excerpt, reportCount, createdAt }: QueueEntry): string {
  const [name = '', id] = Object.entries(target).find(([, value]) => value !== null) ?? [];
  const reports = reportCount > 0 ? [quantity(reportCount, 'report')] : [];
  const text = excerpt === null ? [] : [JSON.stringify(beginningOf(excerpt, EXCERPT_LENGTH))];
  const time = new Date(createdAt).toISOString();
  return [time, kind, `${name.replace('Id', '')} ${id}`, authorName ?? 'private', ...reports, ...text].join('  ');
}

export function decideAsOperator(
  action: DecisionAction,
  { article, comment, member, appeal, until, rule, statement, note, ...options }: DecideOptions,
  terminal: Terminal,
): Promise<number> {
  return asOperator(terminal, 'moderation decide', options, async (operator) => {
    const given = [article, comment, member, appeal].filter((id) => id !== undefined);
    if (given.length !== 1) throw new OperatorError('Give one of --article, --comment, --member and --appeal');
    const target = { articleId: article ?? null, commentId: comment ?? null, memberId: member ?? null };
    if (appeal === undefined && !possibleFor(target).includes(action))
      throw new OperatorError(`For this target, the action can be ${possibleFor(target).join(', ')}`);
    if (EXPLAINED.includes(action) && (!rule || !statement))
      throw new OperatorError(`${action} needs --rule and --statement`);
    if (until !== undefined && action !== 'SUSPEND') throw new OperatorError('--until is for SUSPEND only');
    const end = until === undefined ? null : endOf(until, operator.database.now());
    const reasons = {
      ...NO_REASONS,
      until: end,
      ...(rule && { rule }),
      ...(statement && { statement }),
      ...(note && { note }),
    };
    await operator.confirm(`Decide ${action}`);
    const verdict = { target, action, reasons };
    const { source } = operator;
    const decided =
      appeal === undefined
        ? decide(source, null, verdict)
        : decideAppeal(source, null, { ...verdict, appealId: appeal });
    const { id } = await decided.catch((error: unknown) => {
      throw error instanceof AppError ? new OperatorError(messageOf(error)) : error;
    });
    operator.print(`Decided ${action} (decision ${id}).`);
  });
}

/** With the invalid fields, if there are any. */
function messageOf({ message, errors }: AppError): string {
  const fields = errors.map((one) => `${one.field} ${one.message.in('en')}`);
  return fields.length > 0 ? fields.join('; ') : message.replace(/\.$/, '');
}
