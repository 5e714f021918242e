-- Categories and articles. A statement reads public articles from the view `articles`; only what is for the author or a moderator names the base
-- table, `all_articles` (docs/decisions/private-articles.md). Functions name the base table, since triggers run for private rows too.

-- Each article is in one category of its author.
create table categories (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references members on delete cascade,
  name       varchar(20) not null check (length(name) >= 1),
  -- Created and deleted with its member.
  is_default boolean not null default false,
  unique (id, member_id)
);
create unique index categories_name_key on categories (member_id, lower(name));
create unique index categories_default_key on categories (member_id) where is_default;
create trigger names_stamped after update of name on categories
  for each row when (old.name <> new.name) execute function names_stamped();
-- Categories are shown without articles too.
create trigger categories_stamped_on_insert after insert on categories
  for each row when (not new.is_default) execute function journal_stamped('articles');
create trigger categories_stamped_on_delete after delete on categories
  for each row when (not old.is_default) execute function journal_stamped('articles');

-- Numbers of articles. In a table of its own: transactions that write an article lock the row of its category, so that its name stays.
create table category_counts (
  category_id      bigint primary key references categories on delete cascade,
  articles         integer not null default 0 check (articles >= 0),
  private_articles integer not null default 0 check (private_articles >= 0)
) with (fillfactor = 50);

create function categories_inserted() returns trigger language plpgsql as $$
begin
  insert into category_counts (category_id) select id from inserted order by id;
  return null;
end $$;
create trigger categories_inserted after insert on categories
  referencing new table as inserted for each statement execute function categories_inserted();

-- Triggers in the order in which they run. Insertion: article_slug_reserved_on_insert before the row is written; then
-- article_images_written_on_insert (06-images.sql), articles_inserted, articles_inserted_in_categories, articles_inserted_with_counts
-- (10-reactions.sql) and articles_stamped_on_insert; at commit article_search_add (08-search.sql). Deletion: article_untagged (05-tags-and-series.sql) before the row is deleted; then articles_ended
-- (10-reactions.sql), articles_removed, articles_removed_from_categories and articles_stamped_on_delete. PostgreSQL runs triggers of one event in the order of their names, and the
-- names give the order of the locks.
create table all_articles (
  id              bigint generated always as identity (sequence name articles_id_seq) constraint articles_pkey primary key,
  -- Of the text in exports, by which an import recognizes it.
  key             uuid not null default gen_random_uuid(),
  member_id       bigint not null constraint articles_member_id_fkey references members on delete cascade,
  category_id     bigint not null,

  title           varchar(100) not null constraint articles_title_check check (length(title) >= 1),
  -- Case-insensitive order by code point, which updates of the operating system's locales cannot change.
  title_key       text collate "C" generated always as (lower(title)) stored,
  content         text not null constraint articles_content_check check (length(content) between 1 and 100000),
  -- What the text is about, by its author.
  description     varchar(300) constraint articles_description_check check (description <> ''),
  -- Where it was published first, on another website.
  canonical_url   varchar(2000) constraint articles_canonical_url_check check (canonical_url ~ '^https?://'),
  -- The number of edits, from 1.
  revision        integer not null default 1,
  excerpt         varchar(200),
  ai_summary      text,
  -- Of an article that was never public: a proposal. The default, for rows that are inserted by hand, is that of a title without letters.
  slug            varchar(100) not null default 'article',
  -- Whether the author chose the slug. If not, a number makes it unique.
  is_slug_given   boolean not null default false,
  -- Of the visible text; of the content until it is rendered.
  word_count      integer not null default 0 constraint all_articles_word_count_check check (word_count >= 0),
  reading_minutes integer not null default 1 constraint all_articles_reading_minutes_check check (reading_minutes >= 1),

  -- A language tag, and its first subtag, by which lists find a language with all its regions and scripts.
  language        varchar(35) collate "C" constraint articles_language_check check (language <> ''),
  primary_language text collate "C" generated always as (split_part(language, '-', 1)) stored,
  translation_group_id bigint,

  image           text,
  image_alt       varchar(300),
  -- In pixels; null without an image.
  image_width     integer,
  image_height    integer,

  series_id       bigint,
  -- From 1. An import keeps the numbers of its source.
  series_position integer,

  is_private      boolean not null default false,
  -- When it became private, and the revision that was public.
  private_at      timestamptz(3),
  private_revision integer,
  -- By a moderator (docs/decisions/removal.md): the article is private, so that no public statement, counter or index contains it.
  removed_at      timestamptz(3),
  -- Whether the restoration of a removed article makes it public.
  restores_public boolean not null default false,

  -- Counters of comments (09-comments.sql): those that are not deleted; top-level ones, including deleted ones that still have replies.
  comment_count   integer not null default 0 constraint articles_comment_count_check check (comment_count >= 0),
  top_level_count integer not null default 0 constraint articles_top_level_count_check check (top_level_count >= 0),

  -- The time of publication, which the author may set.
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  -- The stamps of its own data, and of its comments: see article_stamped.
  revised_at      timestamptz not null default clock_timestamp(),
  discussed_at    timestamptz not null default clock_timestamp(),

  -- The category must belong to the author of the article. Checked at commit, so that a withdrawal can delete both.
  constraint articles_category_fkey foreign key (category_id, member_id) references categories (id, member_id)
    deferrable initially deferred,
  constraint articles_series_check check (num_nonnulls(series_id, series_position) in (0, 2) and series_position > 0),
  constraint articles_translation_check check (translation_group_id is null or language is not null),
  constraint articles_removed_check check (removed_at is null or is_private)
);
-- A column that is added to the table later has to be added here: `create or replace view` with the same text.
create view articles as select * from all_articles where not is_private;

-- Who sees an article as it is: everyone a public one, its author also a private one. PostgreSQL inlines this function, and the other ones that have no
-- subquery, into the statement.
create function can_read(is_private boolean, author bigint, r reader) returns boolean language sql stable as $$
  select not is_private
    or author = r.article_reader_id
$$;

-- Public lists, in each of their orders; the default is by created_at.
create index articles_public_created on all_articles (created_at, id) where not is_private;
create index articles_public_updated on all_articles (updated_at, id) where not is_private;
create index articles_public_title on all_articles (title_key, id) where not is_private;
create index articles_public_comments on all_articles (comment_count, id) where not is_private;
create index articles_public_member on all_articles (member_id, created_at, id) where not is_private;
create index articles_public_category on all_articles (category_id, created_at, id) where not is_private;
-- The author's lists, of all and of private ones.
create index articles_member on all_articles (member_id, created_at, id);
create index articles_category on all_articles (category_id, created_at, id);
create index articles_private_member on all_articles (member_id, created_at, id) where is_private;
-- Lists of one language.
create index articles_public_language on all_articles (primary_language, created_at, id) include (language)
  where not is_private and primary_language is not null;
create index articles_member_language on all_articles (member_id, primary_language, created_at, id) include (language, is_private)
  where primary_language is not null;
-- To look up whether an image is referenced.
create index articles_image on all_articles (image) where image is not null;
-- For the deletion of what was not restored.
create index articles_removed on all_articles (removed_at, id) where removed_at is not null;

-- Stamps.

-- A change of any column renews one of the two stamps of an article, so a new column needs no change here. The trigger runs with the row locked, so
-- the clock is read after the commit of the previous change.
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
    or (new.member_id, new.category_id, new.title, new.image, new.revision, new.created_at, new.updated_at)
      is distinct from (old.member_id, old.category_id, old.title, old.image, old.revision, old.created_at, old.updated_at)
  then
    new.revised_at := stamp_after(old.revised_at);
  end if;
  return new;
end $$;
-- An article that gets a group because another one joins it is not edited: what is public of that is in the stamp of the group.
create trigger article_stamped before update on all_articles for each row
  when (old.translation_group_id is not distinct from new.translation_group_id or old.revision <> new.revision) execute function article_stamped();

-- A change of an article that is and stays private renews no stamp that responses to others depend on.
create function articles_stamped() returns trigger language plpgsql as $$
begin
  if exists (select from changed where not is_private) then perform stamp_journal('articles'); end if;
  return null;
end $$;
create trigger articles_stamped_on_insert after insert on all_articles
  referencing new table as changed for each statement execute function articles_stamped();
create trigger articles_stamped_on_delete after delete on all_articles
  referencing old table as changed for each statement execute function articles_stamped();
-- With the row for the feed of changes (15-changes.sql): each comment updates its article, and the condition of another trigger takes longer than that
-- row. A summary alone is no change of the feed, which does not have it.
create function article_changed() returns trigger language plpgsql as $$
begin
  perform stamp_journal('articles');
  if not old.is_private and not new.is_private and (old.ai_summary is not distinct from new.ai_summary or old.revision <> new.revision) then
    insert into change_log (type, object_id, event) values ('article', new.id, 'changed');
  end if;
  return null;
end $$;
create trigger articles_stamped after update on all_articles
  for each row when (old.revised_at <> new.revised_at and not (old.is_private and new.is_private))
  execute function article_changed();
-- Comments have their own triggers (comments_stamped_on_insert and others), which run after the counters of members have been locked.
create trigger articles_stamped_by_hand after update on all_articles
  for each row when (old.discussed_at <> new.discussed_at and pg_trigger_depth() = 0 and not (old.is_private and new.is_private))
  execute function journal_stamped('comments');

-- For rows of comments and article_texts; the argument is the kind of the stamp.
create function public_article_stamped() returns trigger language plpgsql as $$
begin
  if exists (select from all_articles where id = new.article_id and not is_private) then
    perform stamp_journal(tg_argv[0]);
  end if;
  return null;
end $$;

-- Numbers of articles.

-- The number of public articles: a sum over shards (own_shard).
create table article_totals (shard smallint primary key, articles bigint not null) with (fillfactor = 50);

create function count_public_articles(added bigint) returns void language sql as $$
  insert into article_totals as t (shard, articles) values (own_shard(), added)
  on conflict (shard) do update set articles = t.articles + excluded.articles
$$;

create function articles_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
  visible bigint := (select count(*) from changed where not is_private);
begin
  if not exists (select from changed) then return null; end if;
  -- Before those of members, in this order also by a scheduled publication, which notifies its author afterwards.
  if tg_op = 'INSERT' then
    perform from notification_counts where member_id in (select member_id from changed) order by member_id for no key update;
  end if;
  update member_counts c
  set articles = c.articles + sign * n.visible, private_articles = c.private_articles + sign * n.private
  from (select member_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from changed group by 1) n
  where c.member_id = n.member_id;
  if visible > 0 then perform count_public_articles(sign * visible); end if;
  return null;
end $$;
create trigger articles_inserted after insert on all_articles
  referencing new table as changed for each statement execute function articles_counted();
create trigger articles_removed after delete on all_articles
  referencing old table as changed for each statement execute function articles_counted();

-- By their names after those that lock the counters of members.
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

-- `daybook member claim` gives the articles of an imported author to a member.
create function article_given() returns trigger language plpgsql as $$
declare
  visible integer := (not old.is_private)::integer;
begin
  update member_counts
  set articles = articles + case member_id when new.member_id then visible else -visible end,
      private_articles = private_articles + case member_id when new.member_id then 1 - visible else visible - 1 end
  where member_id in (old.member_id, new.member_id);
  update member_counts c set received = c.received - n.comments
  from (select received_by, count(*) as comments from comments where article_id = new.id group by 1) n
  where c.member_id = n.received_by;
  update comments set received_by = nullif(new.member_id, member_id) where article_id = new.id and deleted_at is null;
  update member_counts c set received = c.received + n.comments
  from (select received_by, count(*) as comments from comments where article_id = new.id group by 1) n
  where c.member_id = n.received_by;
  return null;
end $$;
create trigger article_given after update of member_id on all_articles
  for each row when (old.member_id <> new.member_id) execute function article_given();

-- Visibility.

-- If more than the visibility changes, what was public is the replaced revision; article_revised, by its name before, has stored its text.
create function article_public_revision() returns trigger language plpgsql as $$
begin
  new.private_at := case when new.is_private then clock_timestamp() end;
  new.private_revision := case
    when not new.is_private then null
    when (new.slug, new.canonical_url, new.language, new.image, new.image_alt, new.category_id)
      is distinct from (old.slug, old.canonical_url, old.language, old.image, old.image_alt, old.category_id)
      or exists (select from article_revisions r where r.article_id = old.id and r.number = old.revision) then old.revision
    else new.revision end;
  return new;
end $$;
create trigger article_visibility_revision before update on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_public_revision();

-- Moves the counters of the member, the journal and the tags, which article_tags_locked has locked. The
-- notifications of others end with the visibility; if those of followers are more than 1,000, a job deletes them (end_articles).
create function article_visibility_changed() returns trigger language plpgsql as $$
declare
  added integer := case when new.is_private then -1 else 1 end;
  ids bigint[] := array(select tag_id from all_article_tags where article_id = new.id);
begin
  update member_counts set articles = articles + added, private_articles = private_articles - added
  where member_id = new.member_id;
  perform count_public_articles(added);
  perform lock_tags(ids);
  update tags set article_count = article_count + added, private_count = private_count - added where id = any(ids);
  update member_tags set article_count = article_count + added, private_count = private_count - added
  where member_id = new.member_id and tag_id = any(ids);
  update all_article_tags set is_private = new.is_private where article_id = new.id;
  if new.is_private then
    delete from notifications where article_id = new.id and member_id <> new.member_id and type <> 'ARTICLE';
    if (select count(*) from (
          select from notifications where article_id = new.id and type = 'ARTICLE' limit 1001) n) > 1000 then
      perform end_articles(array[new.id]);
    else
      delete from notifications where article_id = new.id and type = 'ARTICLE';
    end if;
  end if;
  return null;
end $$;
-- By its name after article_given and article_tags_given, which move the counters of the previous visibility.
create trigger article_visibility_changed after update of is_private on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_visibility_changed();

-- Slugs: readable addresses (docs/decisions/slugs.md).

-- Every slug under which an article is or was public. Of one article, that in all_articles.slug is current, and the others lead to it.
create table article_slugs (
  slug       varchar(100) collate "C" primary key,
  -- Deferred: a trigger before the insertion of the article reserves its slug.
  article_id bigint not null references all_articles on delete cascade deferrable initially deferred
);
create index article_slugs_article on article_slugs (article_id);

create function numbered_slug(slug text, number bigint) returns text language sql immutable strict parallel safe as $$
  select case when number = 1 then slug
    else rtrim(left(slug, 99 - length(number::text)), '-') || '-' || number end
$$;

-- Few lookups, whatever the number of articles with this slug: a number that is free, while a smaller one of half its size is taken, and between
-- the two a free one after a taken one. Transactions in progress hold locks on the slugs that they have reserved: others do not wait for them. The
-- first key of the locks is SLUG_LOCKS of src/platform/database/locks.ts. An import begins with an empty table, for which plans with sequential scans
-- would be made, and used until the table is analyzed: enable_seqscan prevents them.
create function reserve_numbered_slug(wanted text, of_article bigint) returns text language plpgsql set enable_seqscan to off as $$
declare
  taken bigint := 0;
  free bigint := 1;
  middle bigint;
  candidate text;
begin
  while exists (select from article_slugs where slug = numbered_slug(wanted, free)) loop
    taken := free;
    free := free * 2;
  end loop;
  while free - taken > 1 loop
    middle := (taken + free) / 2;
    if exists (select from article_slugs where slug = numbered_slug(wanted, middle)) then taken := middle; else free := middle; end if;
  end loop;
  loop
    candidate := numbered_slug(wanted, free);
    if pg_try_advisory_xact_lock(4270008, hashtext(candidate)) then
      insert into article_slugs (slug, article_id) values (candidate, of_article) on conflict do nothing;
      if found then return candidate; end if;
    end if;
    free := free + 1;
  end loop;
end $$;

-- In triggers, so that each way to write an article reserves its slug. They run before the row is written, and so before the transaction takes locks
-- that others share, such as those of counters and tags: a transaction that waits for a slug holds none of these. The unique violation of a slug that
-- is taken is the error of the application.
create function article_slug_reserved() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  if exists (select from article_slugs where slug = new.slug and article_id = new.id) then return new; end if;
  if new.is_slug_given then
    perform pg_advisory_xact_lock(4270008, hashtext(new.slug));
    insert into article_slugs (slug, article_id) values (new.slug, new.id);
  else
    new.slug := reserve_numbered_slug(new.slug, new.id);
  end if;
  return new;
end $$;
create trigger article_slug_reserved_on_insert before insert on all_articles
  for each row when (not new.is_private) execute function article_slug_reserved();
create trigger article_slug_reserved_on_update before update of slug, is_private on all_articles
  for each row when (not new.is_private and (old.is_private or old.slug <> new.slug))
  execute function article_slug_reserved();

-- Comments, likes, bookmarks and notifications can outlive their article for some seconds (ended_articles). In place of foreign keys, which would
-- delete all of them with the article, a trigger rejects rows of articles that do not exist, with the same lock and the same error.
create function article_id_required() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select distinct article_id from changed where article_id is not null);
begin
  if (select count(*) from (select from all_articles where id = any(ids) order by id for key share) a) < cardinality(ids) then
    raise foreign_key_violation using message = 'there is no such article',
      table = tg_table_name, constraint = tg_table_name || '_article_id_fkey';
  end if;
  return null;
end $$;
