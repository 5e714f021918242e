/** The notification settings of a member. */
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { isOnAtFirst, SETTABLE_KINDS } from '../models/notification/kinds.js';
import {
  CHANGED_SETTINGS,
  type NotificationSettingRow,
  SET_NOTIFICATION,
} from '../models/notification/notification.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery } from '../schema/auth.js';
import { NotificationSettingType, SetNotificationArgs } from '../schema/notification.js';
import { MaxItems } from '../schema/response-limits.js';
import { viewerOf } from '../services/auth/policy.js';
import { requireMail } from '../services/mail/enqueue.js';

@Resolver()
export class NotificationSettingResolver {
  @ApiTokenScopes('notifications')
  @MaxItems(SETTABLE_KINDS.length)
  @AuthorizedQuery(() => [NotificationSettingType], {
    description: 'Your notification settings, one per type except MODERATION.',
  })
  async notificationSettings(@Ctx() context: Context): Promise<NotificationSettingRow[]> {
    const rows = await context.database.query(CHANGED_SETTINGS, [viewerOf(context).memberId]);
    const changed = new Map(rows.map((row) => [row.type, row]));
    return SETTABLE_KINDS.map((type) => changed.get(type) ?? { type, enabled: isOnAtFirst(type), email: 'OFF' });
  }

  @ApiTokenScopes('notifications')
  @AuthorizedMutation(() => NotificationSettingType, {
    description: 'Enables or disables a type, and its emails. Existing notifications are kept.',
  })
  async setNotification(
    @Args(() => SetNotificationArgs) { type, enabled, email, toggle }: SetNotificationArgs,
    @Ctx() context: Context,
  ): Promise<NotificationSettingRow> {
    const { memberId } = viewerOf(context);
    if (type === 'MODERATION') throw invalid('type', createMessage('notSettable'));
    if (email != null && email !== 'OFF') requireMail(context.config);
    const [row] = await context.database.change(SET_NOTIFICATION, [
      ...([memberId, type, enabled ?? null, email ?? null, toggle ?? false] as const),
    ]);
    if (!row) throw invalid('email', createMessage('emailsNeedAddress'));
    return row;
  }
}
