/** GraphQL types of reports, and of the queue of moderators. */
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  MAX_COUNTED_REPORTS,
  MAX_SHOWN_REPORTS,
  QUEUE_KINDS,
  type QueueEntry,
  type QueueKind,
  type ShownReport,
} from '../models/decision/queue.js';
import { REPORT_REASONS, type ReportReason } from '../models/decision/report.js';
import { MAX_REASON_LENGTH } from '../models/moderation/action.js';
import { RegisterInput } from './member.js';
import { pageOf } from './page.js';
import { LimitedAs, MaxItems, MaxLength } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';
import { IdField, Prose } from './validators.js';

const ReportReasonEnum = enumOf('ReportReason', 'Why something is reported.', REPORT_REASONS);
const QueueKindEnum = enumOf('QueueKind', 'Why something waits for a decision.', QUEUE_KINDS);

export const ONE_TARGET = 'One of the IDs is given.';

@InputType()
export abstract class TargetInput {
  @IdField(`ID of an article. ${ONE_TARGET}`, { nullable: true })
  articleId?: string | null;

  @IdField(`ID of a comment or reply. ${ONE_TARGET}`, { nullable: true })
  commentId?: string | null;

  @IdField(`ID of a member. ${ONE_TARGET}`, { nullable: true })
  memberId?: string | null;
}

@InputType({ description: 'A report of an article, a comment or a member.' })
export class ReportContentInput extends TargetInput {
  @Field(() => ReportReasonEnum, { description: 'The reason.' })
  reason!: ReportReason;

  @Field(() => String, { nullable: true, description: 'Details for the moderators: at most {max} characters.' })
  @Prose(0, MAX_REASON_LENGTH)
  text?: string | null;
}

@ObjectType('Report', { description: 'A report of yours. Moderators see it without your name.' })
export class ReportType {
  @Field(() => ID, { description: 'Unique positive ID.' })
  id!: number;

  @Field(() => ID, { nullable: true, description: 'ID of the reported article; null for another target.' })
  articleId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of the reported comment; null for another target.' })
  commentId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of the reported member; null for another target.' })
  memberId!: number | null;

  @Field(() => ReportReasonEnum, { description: 'The reason.' })
  reason!: ReportReason;

  @LimitedAs(() => ReportContentInput, 'text')
  @Field({ description: 'The details; may be empty.' })
  text!: string;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;
}

@ObjectType('QueueTarget', {
  description: 'What waits for a decision. One of the IDs is not null: the one to decide with.',
})
export class QueueTargetType {
  @Field(() => ID, { nullable: true, description: 'ID of an article.' })
  articleId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of a comment or reply.' })
  commentId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of a member.' })
  memberId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of an appeal, which is that of the decision.' })
  appealId!: number | null;
}

@ObjectType('QueuedReport', { description: 'A report, without its author.' })
export class QueuedReportType implements ShownReport {
  @Field(() => ReportReasonEnum, { description: 'The reason.' })
  reason!: ReportReason;

  @LimitedAs(() => ReportContentInput, 'text')
  @Field({ description: 'The details; may be empty.' })
  text!: string;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: string;
}

@ObjectType('QueueEntry', { description: 'What waits for a decision of a moderator.' })
export class QueueEntryType implements QueueEntry {
  @Field(() => QueueKindEnum, { description: 'Why it waits.' })
  kind!: QueueKind;

  @Field(() => QueueTargetType, { description: 'What is decided on.' })
  target!: QueueTargetType;

  @MaxLength(1_000)
  @Field(() => String, {
    nullable: true,
    description:
      'The beginning of the content or of the profile, or the text of the appeal; null for a private article and comments on it.',
  })
  excerpt!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the member concerned; null after a withdrawal, and for a private article.',
  })
  memberId!: number | null;

  @LimitedAs(() => RegisterInput, 'nickname')
  @Field(() => String, {
    nullable: true,
    description: 'Display name of the member concerned, or `(withdrawn)`; null for a private article.',
  })
  authorName!: string | null;

  @MaxItems(MAX_SHOWN_REPORTS)
  @Field(() => [QueuedReportType], {
    description: `The latest reports without a decision: at most ${MAX_SHOWN_REPORTS}, newest first.`,
  })
  reports!: QueuedReportType[];

  @Field(() => Int, { description: `Number of reports without a decision, counted up to ${MAX_COUNTED_REPORTS}.` })
  reportCount!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Spam score from 0 to 1 of a comment that waits for approval; null without one.',
  })
  spamScore!: number | null;

  @MaxLength(60)
  @Field({
    description:
      'Changes with the content, its reports and decisions on it. For `ifRevision` of `decide`, or the header If-Match.',
  })
  revision!: string;

  @Field(() => DateTime, {
    description: 'Time of the first report without a decision, of the hold, or of the appeal, in UTC.',
  })
  createdAt!: Moment;
}

export const QueueEntryPage = pageOf(
  'QueueEntry',
  () => QueueEntryType,
  'entries of the queue, oldest first',
  'entries',
);
