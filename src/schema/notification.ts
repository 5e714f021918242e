/** Notifications as their member sees them, what can be asked of them, and the switches. */
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  SUMMARY_OUTCOMES,
  type SummaryOutcome,
} from '../models/notification.js';
import { ConnectionArgs, connectionOf } from './connection.js';
import { PageArgs, Pagination } from './page.js';
import { Ruled } from './rules.js';
import { DateTime, type Moment } from './scalars.js';

const NotificationTypeEnum = enumOf('NotificationType', NOTIFICATION_KINDS);
const SummaryOutcomeEnum = enumOf('SummaryOutcome', SUMMARY_OUTCOMES);

@ObjectType('Notification', { simpleResolvers: true, description: 'Something that a member is told.' })
export class NotificationType {
  @Field(() => ID)
  id!: number;

  @Field(() => NotificationTypeEnum)
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

  @Field()
  read!: boolean;

  @Field(() => DateTime)
  createdAt!: Moment;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of notifications, newest first.' })
export class NotificationPage {
  @Field(() => [NotificationType])
  contents!: NotificationType[];

  @Field(() => Pagination)
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
  @Field(() => NotificationTypeEnum)
  type!: NotificationKind;

  @Field()
  enabled!: boolean;
}

@ArgsType()
export class SetNotificationArgs {
  @Field(() => NotificationTypeEnum)
  type!: NotificationKind;

  @Field(() => Boolean, { nullable: true, description: 'Absent: the other of the two.' })
  enabled?: boolean | null;
}

function enumOf(name: string, descriptions: Record<string, string>): Record<string, string> {
  const names = Object.fromEntries(Object.keys(descriptions).map((key) => [key, key]));
  const values = Object.entries(descriptions).map(([key, description]) => [key, { description }]);
  registerEnumType(names, { name, valuesConfig: Object.fromEntries(values) });
  return names;
}
