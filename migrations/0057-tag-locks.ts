/** A change of the visibility locks the tags of the article before counters (docs/decisions/lock-order.md). */
import type { Migration } from '../src/platform/database/migration.js';

const order = `
create function article_tags_locked() returns trigger language plpgsql as $$
begin
  perform lock_tags(array(select tag_id from all_article_tags where article_id = new.id));
  return new;
end $$;
create trigger article_tags_locked before update of is_private on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_tags_locked();
`;

export const migration: Migration = {
  name: '0057-tag-locks',
  locks: { all_articles: 'share row exclusive' },
  up: [order],
};
