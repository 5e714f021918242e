/** GraphQL types of notifications, their list arguments, and the notification settings. */
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  SUMMARY_OUTCOMES,
  type SummaryOutcome,
} from '../models/notification.js';
import { ConnectionArgs, connectionOf } from './connection.js';
import { enumOf } from './enum.js';
import { PageArgs, Pagination } from './page.js';
import { Ruled } from './rules.js';
import { DateTime, type Moment } from './scalars.js';

const NotificationTypeEnum = enumOf('NotificationType', 'What members are told of.', NOTIFICATION_KINDS);
const SummaryOutcomeEnum = enumOf('SummaryOutcome', 'How making a summary ended.', SUMMARY_OUTCOMES);

@ObjectType('Notification', { simpleResolvers: true, description: 'Something that a member is told.' })
export class NotificationType {
  @Field(() => ID, { description: "Positive. Of one member's notifications, what is newer has the larger one." })
  id!: number;

  @Field(() => NotificationTypeEnum, { description: 'What it tells of.' })
  type!: NotificationKind;

  @Field(() => ID, { description: 'The article that it is about.' })
  articleId!: number;

  @Field(() => ID, { nullable: true, description: 'The comment or reply; null where there is none any more.' })
  commentId!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The display name of who did it, `(withdrawn)` where they left; null where nobody did.',
  })
  actorName!: string | null;

  @Field(() => SummaryOutcomeEnum, { nullable: true, description: 'Of a summary: how it ended.' })
  outcome!: SummaryOutcome | null;

  @Field({ description: 'Whether it was marked as read.' })
  read!: boolean;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: Moment;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of notifications, newest first.' })
export class NotificationPage {
  @Field(() => [NotificationType], { description: 'The notifications of this page; none past the end.' })
  contents!: NotificationType[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  pagination!: Pagination;
}

export const NotificationConnection = connectionOf('Notification', () => NotificationType);

const UNREAD_ONLY = { defaultValue: false, description: 'Leaves out what has been read.' };

@ArgsType()
@Ruled()
export class NotificationsArgs extends PageArgs {
  @Field(UNREAD_ONLY)
  unreadOnly!: boolean;
}

@ArgsType()
@Ruled()
export class NotificationConnectionArgs extends ConnectionArgs {
  @Field(UNREAD_ONLY)
  unreadOnly!: boolean;
}

@ObjectType('NotificationSetting', {
  simpleResolvers: true,
  description: 'Whether you are told of one type of things. At first you are told of all.',
})
export class NotificationSettingType {
  @Field(() => NotificationTypeEnum, { description: 'What is told of.' })
  type!: NotificationKind;

  @Field({ description: 'Whether you are told.' })
  enabled!: boolean;
}

@ArgsType()
export class SetNotificationArgs {
  @Field(() => NotificationTypeEnum, { description: 'What is told of.' })
  type!: NotificationKind;

  @Field(() => Boolean, { nullable: true, description: 'Absent: the other of the two.' })
  enabled?: boolean | null;
}
