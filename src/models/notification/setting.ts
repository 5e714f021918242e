/** Notification settings of members, one per notification type. */

import { statement } from '../../database/statement.js';
import type { NotificationKind } from './notification.js';

export interface NotificationSettingRow {
  type: NotificationKind;
  enabled: boolean;
}

/** Settings that a member has changed at least once. Values: member id. */
export const CHANGED_SETTINGS = statement<NotificationSettingRow>(
  'changed_notification_settings',
  'select type, enabled from notification_settings where member_id = $1',
);

/** Enables or disables a type; null toggles it (default: enabled). Values: member id, type, enabled or null. */
export const SET_NOTIFICATION = statement<NotificationSettingRow>(
  'set_notification',
  `insert into notification_settings as s (member_id, type, enabled) values ($1, $2, coalesce($3::boolean, false))
   on conflict (member_id, type) do update set enabled = coalesce($3::boolean, not s.enabled)
   returning type, enabled`,
);
