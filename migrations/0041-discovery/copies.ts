/**
 * `article_counts` gets a row for each article, with copies of what its indexes and the archive need (docs/decisions/discovery.md). Triggers write the
 * rows of articles that change; `fillArticleCounts` adds those of the others. `is_private` is null until then.
 */
export const copies = `
alter table article_counts
  add column is_private boolean,
  add column member_id bigint,
  add column month date;

create function month_of(moment timestamptz) returns date language sql immutable as $$
  select date_trunc('month', moment at time zone 'UTC')::date
$$;

-- The articles that have no row yet: those with an id in this range. Without a row of this table, none are left.
create table article_count_fills (
  is_only  boolean primary key default true check (is_only),
  after_id bigint not null,
  until_id bigint not null
);
insert into article_count_fills (after_id, until_id) select 0, max(id) from all_articles having max(id) is not null;

create function article_counts_added() returns trigger language plpgsql as $$
begin
  insert into article_counts (article_id, is_private, member_id, month)
  select id, is_private, member_id, month_of(created_at) from changed order by id;
  return null;
end $$;
-- By its name before the triggers that lock the counters of members and tags: all transactions lock in this order.
create trigger article_counts_added after insert on all_articles
  referencing new table as changed for each statement execute function article_counts_added();

create function article_counts_copied() returns trigger language plpgsql as $$
begin
  insert into article_counts (article_id, is_private, member_id, month)
  values (new.id, new.is_private, new.member_id, month_of(new.created_at))
  on conflict (article_id) do update
    set is_private = excluded.is_private, member_id = excluded.member_id, month = excluded.month;
  update article_trends set is_private = new.is_private where article_id = new.id and is_private <> new.is_private;
  return null;
end $$;
create trigger article_counts_copied after update of is_private, member_id, created_at on all_articles
  for each row when ((old.is_private, old.member_id, old.created_at) is distinct from (new.is_private, new.member_id, new.created_at))
  execute function article_counts_copied();

-- As in 0038-reactions, but the row of the article is locked before its counters, as by a change of the visibility.
create or replace function article_likes_counted() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then return null; end if;
  -- Waits for a change of the visibility, so that one of the two transactions renews the stamp of lists.
  perform from all_articles where is_private and id in (select article_id from changed) order by id for share;
  if tg_op = 'INSERT' then
    insert into article_counts as c (article_id, likes)
    select article_id, count(*) from changed group by 1 order by 1
    on conflict (article_id) do update set likes = c.likes + excluded.likes, changed_at = stamp_after(c.changed_at);
  else
    perform from article_counts where article_id in (select article_id from changed) order by article_id for no key update;
    update article_counts c set likes = c.likes - n.likes, changed_at = stamp_after(c.changed_at)
    from (select article_id, count(*) as likes from changed group by 1) n where c.article_id = n.article_id;
    delete from notifications n
    where n.type = 'LIKE' and n.article_id in (select article_id from changed)
      and not exists (select from article_likes l where l.article_id = n.article_id and l.member_id <> n.member_id);
  end if;
  if exists (select from changed x join all_articles a on a.id = x.article_id where not a.is_private) then
    perform stamp_journal('counts');
  end if;
  return null;
end $$;
`;

export const countIndexes = [
  'create index article_counts_likes on article_counts (likes, article_id) where not is_private',
  'create index article_counts_views on article_counts (views, article_id) where not is_private',
  'create index article_counts_member_likes on article_counts (member_id, likes, article_id) where not is_private',
  'create index article_counts_member_views on article_counts (member_id, views, article_id) where not is_private',
];
