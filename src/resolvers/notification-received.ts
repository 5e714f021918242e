/** The notification subscription. */
import { Args, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import type { NotificationEvent } from '../live/notification-cursor.js';
import type { NotificationRow } from '../models/notification/notification.js';
import { requireValid } from '../schema/constraints.js';
import { NotificationType } from '../schema/notification.js';
import { ReceivedArgs } from '../schema/notification-received.js';

@Resolver()
export class NotificationReceivedResolver {
  @Authorized()
  @Subscription(() => NotificationType, {
    description: 'Your notifications in real time, each once, in ascending order of ID. Authentication required.',
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
  return context.hub.open(viewerOf(context).memberId, after == null ? null : Number(after));
}
