/** Reports of members, and the queue of moderators. No API token may use them. */
import { Arg, Args, Ctx, Resolver } from 'type-graphql';
import { MISSING } from '../commands/decide.js';
import { report } from '../commands/report.js';
import type { Context } from '../context.js';
import { COUNT_QUEUE, MAX_COUNTED_ENTRIES, QUEUE_PAGE } from '../models/decision/queue.js';
import type { ReportRow, Target } from '../models/decision/report.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { AuthorizedMutation, AuthorizedQuery } from '../schema/auth.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { QueueEntryPage, ReportContentInput, ReportType } from '../schema/report.js';
import { requireRole } from '../services/auth/permission.js';
import { readerOf, requireNotSuspended, viewerOf } from '../services/auth/policy.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { parseId } from './row.js';

@Resolver()
export class ReportResolver {
  @AuthorizedMutation(() => ReportType, {
    description:
      'Reports an article, a comment or a member to the moderators. You are notified of the decision. Authentication required, and no ' +
      'API token has a scope for it.',
  })
  async reportContent(
    @Arg('input', () => ReportContentInput, { description: 'What is reported, and why.' }) input: ReportContentInput,
    @Ctx() context: Context,
  ): Promise<ReportRow> {
    const { database, limits } = context;
    const { memberId: reporterId } = viewerOf(context);
    const target = targetOf(input);
    const { reason, text } = input;
    const key = String(reporterId);
    assertNotRateLimited(await limits.reports.count(database, key), 'reports');
    try {
      const by = { reporterId, reader: readerOf(context) };
      return await report(database, by, { target, reason, text: text ?? '' });
    } catch (error) {
      // Only reports count. The error of the request is the one to respond with.
      await limits.reports.refund(database, key).catch(() => {});
      throw error;
    }
  }

  @AuthorizedQuery(() => QueueEntryPage, {
    description:
      'What waits for a decision, oldest first: reported content and members, comments that wait for approval, and appeals, except what concerns yourself. ' +
      `The total is counted up to ${MAX_COUNTED_ENTRIES}. Moderators only. ` +
      'Authentication required, and no API token has a scope for it.',
  })
  async moderationQueue(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    const viewer = viewerOf(context);
    const { memberId, role } = viewer;
    requireRole('DISMISS', role);
    requireNotSuspended(viewer);
    const { limit, offset } = pageSlice(args);
    const contents = await context.database.query(QUEUE_PAGE, [limit, offset, memberId]);
    const [counted] = await context.database.query(COUNT_QUEUE, [memberId]);
    return toPage(args, { contents, total: counted?.total ?? 0 });
  }
}

const NAMES = Object.keys(MISSING) as (keyof Target)[];

/** @throws AppError VALIDATION_FAILED unless exactly one id is given; with the error key of the resource for one beyond the range of all rows */
export function targetOf(input: { readonly [Name in keyof Target]?: string | null }): Target {
  requireOneOf(input, NAMES);
  const ids = NAMES.map((name) => [name, input[name] == null ? null : parseId(input[name], MISSING[name])]);
  return Object.fromEntries(ids) as Target;
}

/** @throws AppError VALIDATION_FAILED unless exactly one of these fields is given */
export function requireOneOf<Name extends string>(
  input: { readonly [Field in Name]?: unknown },
  names: readonly Name[],
): void {
  const given = names.filter((name) => input[name] != null);
  if (given.length === 1) return;
  const message = createMessage('oneTarget', names);
  const fields = given.length === 0 ? names : given;
  throw new AppError('VALIDATION_FAILED', { errors: fields.map((field) => ({ field, message })) });
}
