/** The number of articles in each category, which was counted for each list of categories; an index for the number of the newest decisions. */
import type { Migration } from '../src/platform/database/migration.js';

const counts = `
-- In a table of its own: transactions that write an article lock the row of its category, so that its name stays.
create table category_counts (
  category_id      bigint primary key references categories on delete cascade,
  articles         integer not null default 0 check (articles >= 0),
  private_articles integer not null default 0 check (private_articles >= 0)
) with (fillfactor = 50);
insert into category_counts (category_id, articles, private_articles)
select k.id, count(a.id) filter (where not a.is_private), count(a.id) filter (where a.is_private)
from categories k left join all_articles a on a.category_id = k.id group by 1;
create function categories_inserted() returns trigger language plpgsql as $$
begin
  insert into category_counts (category_id) select id from inserted order by id;
  return null;
end $$;
create trigger categories_inserted after insert on categories
  referencing new table as inserted for each statement execute function categories_inserted();
`;

/** Counters of members are locked before those of their categories. */
const triggers = `
create function articles_categorized() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from category_counts where category_id in (select category_id from changed) order by category_id for no key update;
  update category_counts c set articles = c.articles + sign * n.visible, private_articles = c.private_articles + sign * n.private
  from (select category_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from changed group by 1) n
  where c.category_id = n.category_id;
  return null;
end $$;
-- By their names after those that lock the counters of members.
create trigger articles_inserted_in_categories after insert on all_articles
  referencing new table as changed for each statement execute function articles_categorized();
create trigger articles_removed_from_categories after delete on all_articles
  referencing old table as changed for each statement execute function articles_categorized();

create function article_recategorized() returns trigger language plpgsql as $$
begin
  perform from category_counts where category_id in (old.category_id, new.category_id) order by category_id for no key update;
  update category_counts c set articles = c.articles + n.visible, private_articles = c.private_articles + n.private
  from (select id, sum(sign * (not is_private)::integer) as visible, sum(sign * is_private::integer) as private
        from (values (old.category_id, old.is_private, -1), (new.category_id, new.is_private, 1)) x (id, is_private, sign) group by 1) n
  where c.category_id = n.id;
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
