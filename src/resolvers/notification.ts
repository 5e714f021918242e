/** Notifications: lists, marking as read, the linked objects, and the subscription. */
import { Args, Authorized, Ctx, FieldResolver, Int, Resolver, Root, Subscription } from 'type-graphql';
import { markAllNotificationsRead, markNotificationRead } from '../commands/mark-notifications-read.js';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import { type CommentRow } from '../models/comment/comment.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { notificationMessage } from '../models/notification/kinds.js';
import { findNotifications, UNREAD_BY_READER } from '../models/notification/list.js';
import { type NotificationRow, UNREAD_BY_MEMBER } from '../models/notification/notification.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { CommentType } from '../schema/comment.js';
import { requireValid } from '../schema/constraints.js';
import { AccountType, MemberType } from '../schema/member.js';
import { NotificationList, NotificationsArgs, NotificationType, ReceivedArgs } from '../schema/notification.js';
import { IdArgs } from '../schema/scalars.js';
import { InParentRow } from '../schema/statements.js';
import { readerOf, requireAuthor, viewerOf } from '../services/auth/policy.js';
import { type NotificationEvent } from '../services/live/notification-cursor.js';
import { ownList } from './list.js';
import { parseId, requireRow } from './row.js';

export const NotificationListResolver = ownList(['notifications'], {
  names: ['notifications', 'notificationConnection'],
  types: NotificationList,
  args: NotificationsArgs,
  description: ['Your notifications, newest first.', 'notifications with cursor pagination.'],
  open: (context, { unreadOnly }) => ({
    order: 'notifications',
    type: 'bigint',
    find: async (slice) => {
      const owner = { memberId: viewerOf(context).memberId, reader: readerOf(context), unreadOnly };
      // The member was deleted after the token check.
      return requireRow(await findNotifications(context.database, owner, slice), 'UNAUTHENTICATED');
    },
  }),
});

@Resolver(() => NotificationType)
export class NotificationResolver {
  @ApiTokenScopes('notifications')
  @AuthorizedMutation(() => NotificationType, { description: 'Marks a notification as read; idempotent.' })
  async markNotificationRead(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<NotificationRow> {
    const viewer = viewerOf(context);
    const row = parseId(id, 'NOTIFICATION_NOT_FOUND');
    const notification = await markNotificationRead(context.database, row, readerOf(context), {
      credentialId: viewer.credentialId,
      check: ({ memberId }) => requireAuthor(viewer, memberId, 'NOTIFICATION_FORBIDDEN'),
    });
    unreadLoader(context).clear(viewer.memberId);
    context.loaders.addShown('notifications', [notification]);
    if (notification.actorId !== null) context.loaders.addShown('members', [{ id: notification.actorId }]);
    return notification;
  }

  @ApiTokenScopes('notifications')
  @AuthorizedMutation(() => AccountType, {
    description: 'Marks all existing notifications as read; later ones stay unread.',
  })
  async markAllNotificationsRead(@Ctx() context: Context): Promise<MemberRow> {
    const { memberId } = viewerOf(context);
    const account = requireRow(await context.loaders.byId(MEMBERS_BY_ID).load(memberId), 'UNAUTHENTICATED');
    await markAllNotificationsRead(context.database, memberId);
    unreadLoader(context).clear(memberId);
    return account;
  }

  @InParentRow()
  @FieldResolver(() => String, { description: 'The notification as a sentence, in the language of the request.' })
  message(@Root() notification: NotificationRow, @Ctx() { language }: Context): string {
    return notificationMessage(notification).in(language);
  }

  @FieldResolver(() => MemberType, {
    nullable: true,
    description: 'The actor; null if no member caused it or the actor withdrew.',
  })
  async actor(@Root() { actorId }: NotificationRow, @Ctx() { loaders }: Context): Promise<MemberRow | null> {
    return actorId === null ? null : loaders.byId(MEMBERS_BY_ID).load(actorId);
  }

  @FieldResolver(() => ArticleType, {
    nullable: true,
    description: 'The article; null if there is none, or it has just been deleted.',
  })
  async article(@Root() { articleId }: NotificationRow, @Ctx() context: Context): Promise<ArticleRow | null> {
    return articleId === null ? null : context.loaders.byId(ARTICLES_BY_ID, readerOf(context)).load(articleId);
  }

  @FieldResolver(() => CommentType, {
    nullable: true,
    description: 'The comment or reply; null if there is none or it no longer exists.',
  })
  async comment(@Root() { commentId }: NotificationRow, @Ctx() context: Context): Promise<CommentRow | null> {
    return commentId === null ? null : context.loaders.commentById(commentId, readerOf(context));
  }
}

@Resolver(() => AccountType)
export class AccountNotificationResolver {
  @ApiTokenScopes('notifications')
  @FieldResolver(() => Int, { description: 'Number of your unread notifications.' })
  async unreadNotifications(@Root() { id }: MemberRow, @Ctx() context: Context): Promise<number> {
    return (await unreadLoader(context).load(id))?.unread ?? 0;
  }
}

function unreadLoader(context: Context) {
  const reader = readerOf(context);
  if (reader.articleReaderId > 0 && reader.draftReaderId > 0) return context.loaders.byId(UNREAD_BY_MEMBER);
  return context.loaders.byId(UNREAD_BY_READER, reader);
}

@Resolver()
export class NotificationReceivedResolver {
  @Authorized()
  @ApiTokenScopes('notifications')
  @Subscription(() => NotificationType, {
    description: 'Your notifications in real time, each once, in ascending order of ID.',
    subscribe: ({ args, context }) => receive(args, context as Context),
  })
  notificationReceived(
    @Root() { notification }: NotificationEvent,
    @Args(() => ReceivedArgs) _args: ReceivedArgs,
  ): NotificationRow {
    return notification;
  }
}

/** Validates the arguments here: type-graphql validates them only when an event is resolved, not on `subscribe`. */
function receive(args: object, context: Context): Promise<AsyncIterable<NotificationEvent>> {
  const given = Object.assign(new ReceivedArgs(), args);
  requireValid(given);
  const { after } = given;
  const position = after == null ? null : Number(after);
  return context.services.hub.open(viewerOf(context).memberId, readerOf(context), position);
}
