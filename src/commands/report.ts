/** Reports an article, a comment or a member to the moderators. */
import { ADD_REPORT, OPEN_CASE, type ReportReason, type ReportRow, type Target } from '../models/decision/report.js';
import type { Reader } from '../models/reader.js';
import type { Database } from '../platform/database/pool.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { MISSING, nameOf } from './decide.js';

/**
 * @throws AppError ALREADY_REPORTED; ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, MEMBER_NOT_FOUND if the reporter does not see the target;
 * VALIDATION_FAILED for the reporter and their own content; MEMBER_SUSPENDED
 */
export function report(
  database: Database,
  { reporterId, reader }: { reporterId: number; reader: Reader },
  { target, reason, text }: { target: Target; reason: ReportReason; text: string },
): Promise<ReportRow> {
  const { articleId, commentId, memberId } = target;
  return database.transaction(async (db) => {
    const values = [reporterId, articleId, commentId, memberId, reader] as const;
    const [opened] = await db.query(OPEN_CASE, [...values]);
    if (!opened) throw new AppError(MISSING[nameOf(target)]);
    if (opened.caseId === null) throw invalid(nameOf(target), createMessage('mustBeOfOther'));
    const given = [opened.caseId, reporterId, reason, text, opened.changedAt] as const;
    const [added] = await db.query(ADD_REPORT, [...given]);
    if (!added) throw new AppError('ALREADY_REPORTED');
    return added;
  });
}
