/** Notifications of scheduled publications: they are about the new article, or about the draft that was not published. */
import type { Migration } from '../src/platform/database/migration.js';

const types = "('COMMENT', 'REPLY', 'SUMMARY', 'PUBLICATION')";

/** Existing rows satisfy the constraints, which are not checked for them. */
const columns = `
alter table notifications
  alter column article_id drop not null,
  add column draft_id bigint,
  add constraint notifications_draft_id_fkey foreign key (draft_id) references drafts on delete cascade not valid,
  add constraint notifications_subject_check check (num_nonnulls(article_id, draft_id) = 1) not valid,
  drop constraint notifications_type_check,
  add constraint notifications_type_check check (type in ${types}) not valid;
alter table notification_settings
  drop constraint notification_settings_type_check,
  add constraint notification_settings_type_check check (type in ${types}) not valid;
`;

const byDraft = 'create index notifications_draft on notifications (draft_id) where draft_id is not null';

export const migration: Migration = {
  name: '0037-publication-notifications',
  locks: {
    notifications: 'access exclusive',
    notification_settings: 'access exclusive',
    drafts: 'share row exclusive',
  },
  up: [columns],
  indexes: [byDraft],
};
