/** The number of articles in each category, which was counted for each list of categories; an index for the number of the newest decisions. */
import type { Migration } from '../src/platform/database/migration.js';

const counts = `
alter table categories
  add column article_count integer not null default 0 check (article_count >= 0),
  add column private_count integer not null default 0 check (private_count >= 0);
update categories k set article_count = n.visible, private_count = n.private
from (select category_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
      from all_articles group by 1) n
where k.id = n.category_id;
`;

/** Counters of members are locked before those of their categories. */
const triggers = `
create function articles_categorized() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from categories where id in (select category_id from changed) order by id for no key update;
  update categories k set article_count = k.article_count + sign * n.visible, private_count = k.private_count + sign * n.private
  from (select category_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from changed group by 1) n
  where k.id = n.category_id;
  return null;
end $$;
-- By their names after those that lock the counters of members.
create trigger articles_inserted_in_categories after insert on all_articles
  referencing new table as changed for each statement execute function articles_categorized();
create trigger articles_removed_from_categories after delete on all_articles
  referencing old table as changed for each statement execute function articles_categorized();

create function article_recategorized() returns trigger language plpgsql as $$
begin
  perform from categories where id in (old.category_id, new.category_id) order by id for no key update;
  update categories k set article_count = k.article_count + n.visible, private_count = k.private_count + n.private
  from (select id, sum(sign * (not is_private)::integer) as visible, sum(sign * is_private::integer) as private
        from (values (old.category_id, old.is_private, -1), (new.category_id, new.is_private, 1)) c (id, is_private, sign) group by 1) n
  where k.id = n.id;
  return null;
end $$;
create trigger article_visibility_counted after update of category_id, is_private on all_articles
  for each row when ((old.category_id, old.is_private) is distinct from (new.category_id, new.is_private))
  execute function article_recategorized();

drop index decisions_newest;
`;

export const migration: Migration = {
  name: '0063-category-counts',
  locks: { all_articles: 'share row exclusive', categories: 'access exclusive', decisions: 'access exclusive' },
  up: [counts, triggers],
  indexes: ['create index decisions_newest on decisions (created_at, id) include (member_id)'],
};
