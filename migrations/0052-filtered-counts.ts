/** Lists by likes and views of a member or a category by an index, also of a period (docs/decisions/discovery.md). */
import type { Migration } from '../src/platform/database/migration.js';

/** The hourly job, which also runs at each start, computes the rows of periods again. No released version has any. */
const copies = `
alter table article_counts add column category_id bigint;
delete from article_trends;
alter table article_trends
  add column member_id bigint not null,
  add column category_id bigint not null;

-- The rows of existing articles get the category as those that have no row get theirs.
insert into article_count_fills (after_id, until_id) select 0, max(id) from all_articles having max(id) is not null
on conflict (is_only) do update set after_id = 0, until_id = excluded.until_id;

create or replace function article_counts_added() returns trigger language plpgsql as $$
begin
  insert into article_counts (article_id, is_private, member_id, category_id, month)
  select id, is_private, member_id, category_id, month_of(created_at) from changed order by id;
  return null;
end $$;

create or replace function article_counts_copied() returns trigger language plpgsql as $$
begin
  insert into article_counts (article_id, is_private, member_id, category_id, month)
  values (new.id, new.is_private, new.member_id, new.category_id, month_of(new.created_at))
  on conflict (article_id) do update
    set is_private = excluded.is_private, member_id = excluded.member_id, category_id = excluded.category_id, month = excluded.month;
  update article_trends set is_private = new.is_private, member_id = new.member_id, category_id = new.category_id
  where article_id = new.id and (is_private, member_id, category_id) <> (new.is_private, new.member_id, new.category_id);
  return null;
end $$;
drop trigger article_counts_copied on all_articles;
create trigger article_counts_copied after update of is_private, member_id, category_id, created_at on all_articles
  for each row when ((old.is_private, old.member_id, old.category_id, old.created_at)
    is distinct from (new.is_private, new.member_id, new.category_id, new.created_at))
  execute function article_counts_copied();
`;

const ofPeriod = (owner: 'member' | 'category', number: 'likes' | 'views') =>
  `create index article_trends_${owner}_${number} on article_trends (days, ${owner}_id, ${number}, article_id) where ${number} > 0 and not is_private`;

export const migration: Migration = {
  name: '0052-filtered-counts',
  locks: {
    all_articles: 'access exclusive',
    article_counts: 'access exclusive',
    article_trends: 'access exclusive',
  },
  up: [copies],
  indexes: [
    'create index article_counts_category_likes on article_counts (category_id, likes, article_id) where not is_private',
    'create index article_counts_category_views on article_counts (category_id, views, article_id) where not is_private',
    ofPeriod('member', 'likes'),
    ofPeriod('member', 'views'),
    ofPeriod('category', 'likes'),
    ofPeriod('category', 'views'),
  ],
};
