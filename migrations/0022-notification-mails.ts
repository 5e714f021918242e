/** E-mails about notifications: the setting of each type, and the position of the last e-mail. */
import type { Migration } from '../src/platform/database/migration.js';

const settings = `
alter table notification_settings
  add column email text not null default 'OFF' check (email in ('OFF', 'AT_ONCE', 'DAILY'));
`;

/** The id of the newest notification in an e-mail of each setting, and the UTC day of the last digest. */
const positions = `
alter table notification_counts
  add column at_once_mailed_id bigint not null default 0,
  add column daily_mailed_id bigint not null default 0,
  add column digest_on date;
`;

const daily = "create index notification_settings_daily on notification_settings (member_id) where email = 'DAILY'";

export const migration: Migration = {
  name: '0022-notification-mails',
  locks: { notification_settings: 'access exclusive', notification_counts: 'access exclusive' },
  up: [settings, positions],
  indexes: [daily],
};
