/**
 * Stamps: the time of the last change of public data, updated by triggers in the transaction of the change. A stamp of one row is
 * strictly increasing, by at least a microsecond, so that each state of the data has a distinct stamp.
 * docs/decisions/conditional-get.md describes their use.
 */
import type { Migration } from '../src/platform/database/migration.js';

/**
 * The two stamps of an article: for its own data, and for its comments. A change of any column updates one of them, so a new column
 * needs no change here. The trigger runs with the row locked, so the clock is read after the commit of the previous change.
 */
const articles = `
alter table articles
  add column revised_at   timestamptz not null default now(),
  add column discussed_at timestamptz not null default now();
alter table articles
  alter column revised_at   set default clock_timestamp(),
  alter column discussed_at set default clock_timestamp();

create function stamp_after(earlier timestamptz) returns timestamptz language sql volatile as $$
  select greatest(clock_timestamp(), earlier + interval '1 microsecond')
$$;

create function article_stamped() returns trigger language plpgsql as $$
declare
  is_discussed boolean := (new.comment_count, new.top_level_count, new.discussed_at)
    is distinct from (old.comment_count, old.top_level_count, old.discussed_at);
begin
  if is_discussed then
    new.discussed_at := stamp_after(old.discussed_at);
  end if;
  -- An update of the counters only is caused by a comment.
  if not is_discussed
    or (new.member_id, new.category_id, new.title, new.image, new.version, new.created_at, new.updated_at)
      is distinct from (old.member_id, old.category_id, old.title, old.image, old.version, old.created_at, old.updated_at)
  then
    new.revised_at := stamp_after(old.revised_at);
  end if;
  return new;
end $$;
create trigger article_stamped before update on articles for each row execute function article_stamped();

create function article_tags_stamped() returns trigger language plpgsql as $$
begin
  update articles set revised_at = clock_timestamp() where id in (select article_id from changed);
  return null;
end $$;
create trigger article_tags_stamped_on_insert after insert on article_tags
  referencing new table as changed for each statement execute function article_tags_stamped();
create trigger article_tags_stamped_on_update after update on article_tags
  referencing new table as changed for each statement execute function article_tags_stamped();
create trigger article_tags_stamped_on_delete after delete on article_tags
  referencing old table as changed for each statement execute function article_tags_stamped();

-- Inserted and deleted comments update the counters instead. names_stamped handles the withdrawal of an author.
create function comment_reworded() returns trigger language plpgsql as $$
begin
  update articles set discussed_at = clock_timestamp() where id in (old.article_id, new.article_id);
  return null;
end $$;
create trigger comment_reworded after update on comments for each row
  when ((old.content, old.created_at, old.updated_at, old.article_id, old.parent_id, old.member_id) is distinct from
    (new.content, new.created_at, new.updated_at, new.article_id, new.parent_id, coalesce(new.member_id, old.member_id)))
  execute function comment_reworded();
`;

/** The status of a summary is in a separate table, so that the article's row is not rewritten; its stamp is in the same table. */
const summaries = `
alter table article_summaries add column changed_at timestamptz not null default now();

create function summary_stamped() returns trigger language plpgsql as $$
begin
  new.changed_at := case tg_op when 'INSERT' then clock_timestamp() else stamp_after(old.changed_at) end;
  return new;
end $$;
create trigger summary_stamped before insert or update on article_summaries
  for each row execute function summary_stamped();
`;

/** Names (of members, categories and tags) appear on any number of pages and change rarely: all share one stamp. */
const names = `
create table name_stamps (
  is_only    boolean primary key default true check (is_only),
  changed_at timestamptz not null
);
insert into name_stamps (changed_at) values (clock_timestamp());

create function names_stamped() returns trigger language plpgsql as $$
begin
  insert into name_stamps as s (changed_at) values (clock_timestamp())
  on conflict (is_only) do update set changed_at = stamp_after(s.changed_at);
  return null;
end $$;
create trigger names_stamped after update of nickname on members
  for each row when (old.nickname <> new.nickname) execute function names_stamped();
create trigger names_stamped_on_withdrawal after delete on members for each row execute function names_stamped();
create trigger names_stamped after update of name on categories
  for each row when (old.name <> new.name) execute function names_stamped();
create trigger names_stamped after update of name on tags
  for each row when (old.name <> new.name) execute function names_stamped();
`;

/**
 * Lists can contain any article. Their stamp is a sum over several rows (shards), so that concurrent writers do not wait for one
 * row lock: a connection always uses the same shard of each kind, as in article_totals, and locks it last. A transaction
 * writes it at most once per second, regardless of the number of rows that it changes.
 */
const journal = `
create table journal_stamps (
  kind       text check (kind in ('articles', 'comments')),
  shard      smallint,
  changed_at timestamptz not null,
  changed_in xid8 not null,
  primary key (kind, shard)
) with (fillfactor = 50);

create function journal_stamped() returns trigger language plpgsql as $$
begin
  insert into journal_stamps as s (kind, shard, changed_at, changed_in)
  values (tg_argv[0], pg_backend_pid() % 32, clock_timestamp(), pg_current_xact_id())
  on conflict (kind, shard) do update set changed_at = stamp_after(s.changed_at), changed_in = excluded.changed_in
  where s.changed_in <> excluded.changed_in or s.changed_at < clock_timestamp() - interval '1 second';
  return null;
end $$;
create trigger articles_stamped_on_insert after insert on articles
  for each statement execute function journal_stamped('articles');
create trigger articles_stamped_on_delete after delete on articles
  for each statement execute function journal_stamped('articles');
create trigger articles_stamped after update on articles
  for each row when (old.revised_at <> new.revised_at) execute function journal_stamped('articles');
-- Comments have their own trigger below, which runs after the counters of members have been locked.
create trigger articles_stamped_by_hand after update on articles
  for each row when (old.discussed_at <> new.discussed_at and pg_trigger_depth() = 0)
  execute function journal_stamped('comments');
create trigger comments_stamped_on_insert after insert on comments
  for each statement execute function journal_stamped('comments');
create trigger comments_stamped_on_delete after delete on comments
  for each statement execute function journal_stamped('comments');
create trigger comment_stamped after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function journal_stamped('comments');
`;

export const migration: Migration = {
  name: '0008-stamps',
  locks: {
    article_summaries: 'access exclusive',
    comments: 'share row exclusive',
    article_tags: 'share row exclusive',
    tags: 'share row exclusive',
    articles: 'access exclusive',
    categories: 'share row exclusive',
    members: 'share row exclusive',
  },
  up: [articles, summaries, names, journal],
};
