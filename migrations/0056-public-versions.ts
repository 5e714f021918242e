/**
 * The version at which an article became private: of an article that a moderator has removed, moderators see what was public (docs/decisions/removal.md).
 */
import type { Migration } from '../src/platform/database/migration.js';

const columns = `
alter table all_articles add column private_at timestamptz(3), add column private_version integer;
create or replace view articles as select * from all_articles where not is_private;

-- If more than the visibility changes, what was public is the replaced version, whose text is a revision.
create function article_public_version() returns trigger language plpgsql as $$
begin
  new.private_at := case when new.is_private then clock_timestamp() end;
  new.private_version := case
    when not new.is_private then null
    when (new.title, new.content, new.slug, new.image, new.image_alt, new.category_id)
      is distinct from (old.title, old.content, old.slug, old.image, old.image_alt, old.category_id)
      or exists (select from article_revisions r where r.article_id = old.id and r.number = old.version) then old.version
    else new.version end;
  return new;
end $$;
create trigger article_public_version before update on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_public_version();
`;

export const migration: Migration = {
  name: '0056-public-versions',
  locks: { articles: 'access exclusive', all_articles: 'access exclusive' },
  up: [columns],
};
