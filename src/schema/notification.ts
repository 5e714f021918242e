/** GraphQL types of notifications, their list and subscription arguments, and the notification settings. */
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  SUMMARY_OUTCOMES,
  type SummaryOutcome,
} from '../models/notification/kinds.js';
import { NOTIFICATION_EMAILS, type NotificationEmail } from '../models/notification/notification.js';
import { createMessage } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import { constraint } from './constraints.js';
import { listArgs, listOf } from './list.js';
import { RegisterInput } from './member.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';

const MEANINGS = Object.fromEntries(Object.entries(NOTIFICATION_KINDS).map(([name, { meaning }]) => [name, meaning]));
const NotificationTypeEnum = enumOf('NotificationType', 'Types of notifications.', MEANINGS);
const SummaryOutcomeEnum = enumOf('SummaryOutcome', 'Result of generating a summary.', SUMMARY_OUTCOMES);

const NotificationEmailEnum = enumOf(
  'NotificationEmail',
  'When emails about notifications are sent.',
  NOTIFICATION_EMAILS,
);

@ObjectType('Notification', { description: 'A notification for a member.' })
export class NotificationType {
  @Field(() => ID, { description: "Positive ID. Among one member's notifications, newer ones have larger IDs." })
  id!: number;

  @Field(() => NotificationTypeEnum, { description: 'Type of the notification.' })
  type!: NotificationKind;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the article concerned; null if a draft, a member or a decision of a moderator is concerned.',
  })
  articleId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of the draft that was not published; null for all others.' })
  draftId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the comment or reply; null if there is none or it no longer exists.',
  })
  commentId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the decision of a moderator that concerns you; null for all others.',
  })
  decisionId!: number | null;

  @LimitedAs(() => RegisterInput, 'nickname')
  @Field(() => String, {
    nullable: true,
    description: 'Display name of the actor, `(withdrawn)` after account deletion; null if no member caused it.',
  })
  actorName!: string | null;

  @Field(() => SummaryOutcomeEnum, { nullable: true, description: 'Result of the summary; null for other types.' })
  outcome!: SummaryOutcome | null;

  @Field({ description: 'Whether the notification was marked as read.' })
  read!: boolean;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;
}

export const NotificationList = listOf(
  'Notification',
  () => NotificationType,
  'notifications, newest first',
  'notifications',
);

@ArgsType()
class ReadStateArgs {
  @Field({ defaultValue: false, description: 'Excludes notifications that were read.' })
  unreadOnly!: boolean;
}

export const NotificationsArgs = listArgs(ReadStateArgs);

@ObjectType('NotificationSetting', {
  description:
    'Whether one type of notifications is enabled, and sent by email. By default all types except LIKE are enabled, without emails. MODERATION has no setting.',
})
export class NotificationSettingType {
  @Field(() => NotificationTypeEnum, { description: 'Type of notifications.' })
  type!: NotificationKind;

  @Field({ description: 'Whether this type is enabled.' })
  enabled!: boolean;

  @Field(() => NotificationEmailEnum, { description: 'When notifications of this type are sent by email.' })
  email!: NotificationEmail;
}

@ArgsType()
export class SetNotificationArgs {
  @Field(() => NotificationTypeEnum, { description: 'Type of notifications, other than MODERATION.' })
  type!: NotificationKind;

  @Field(() => Boolean, { nullable: true, description: 'Absent: keeps the current setting.' })
  enabled?: boolean | null;

  @Field(() => NotificationEmailEnum, {
    nullable: true,
    description:
      'Absent: keeps the current setting. `AT_ONCE` and `DAILY` require an account with a confirmed email address.',
  })
  email?: NotificationEmail | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'If true, inverts the current setting, unless `enabled` is given.',
  })
  toggle?: boolean | null;
}

@ArgsType()
export class ReceivedArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      'ID of the last notification received: the stream starts with the next one. ' +
      '0: with the oldest. Absent: only new notifications.',
  })
  @StreamPosition()
  after?: string | null;
}

/** The id of a list element, or 0 for the position before the first. The element may have been deleted. */
function StreamPosition(): PropertyDecorator {
  return constraint({
    explain: (value) =>
      /^(0|[1-9]\d*)$/.test(String(value)) ? null : createMessage('mustBeFrom', 0, inspectValue(value)),
    schema: { minimum: 0 },
  });
}
