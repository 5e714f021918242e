/** The notification settings of a member. */
import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import {
  CHANGED_SETTINGS,
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationSettingRow,
  SET_NOTIFICATION,
} from '../models/notification/notification.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { costOf } from '../schema/cost.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { NotificationSettingType, SetNotificationArgs } from '../schema/notification.js';
import { MaxItems } from '../schema/response-limits.js';
import { requireRow } from './row.js';

const KINDS = Object.keys(NOTIFICATION_KINDS) as NotificationKind[];

@Resolver()
export class NotificationSettingResolver {
  @Authorized()
  @ApiTokenScopes('notifications')
  @MaxItems(KINDS.length)
  @Query(() => [NotificationSettingType], {
    nullable: true,
    description: 'Your notification settings, one per type. Authentication required.',
    complexity: costOf(KINDS.length),
  })
  async notificationSettings(@Ctx() context: Context): Promise<NotificationSettingRow[]> {
    const rows = await context.database.query(CHANGED_SETTINGS, [viewerOf(context).memberId]);
    const changed = new Map(rows.map(({ type, enabled }) => [type, enabled]));
    return KINDS.map((type) => ({ type, enabled: changed.get(type) ?? true }));
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('notifications')
  @Mutation(() => NotificationSettingType, {
    description: 'Enables or disables a type. Existing notifications are kept. Authentication required.',
  })
  async setNotification(
    @Args(() => SetNotificationArgs) { type, enabled }: SetNotificationArgs,
    @Ctx() context: Context,
  ): Promise<NotificationSettingRow> {
    const { memberId } = viewerOf(context);
    const [row] = await context.database.change(SET_NOTIFICATION, [memberId, type, enabled ?? null]);
    return requireRow(row, 'UNAUTHENTICATED');
  }
}
