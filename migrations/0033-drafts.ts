/** Drafts and the earlier states of drafts and articles, all of which only their authors see. */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table drafts (
  id                bigint generated always as identity primary key,
  member_id         bigint not null references members on delete cascade,
  -- The article that the draft is an edit of; null for a new one.
  article_id        bigint unique references all_articles on delete set null,
  -- The version of the article that the edit began with.
  base_version      integer,
  title             varchar(100) not null default '',
  content           text not null default '' check (length(content) <= 100000),
  category_id       bigint references categories on delete set null,
  tags              text[] not null default '{}' check (cardinality(tags) <= 10),
  slug              varchar(100),
  is_private        boolean not null default false,
  -- The image of the article: an uploaded one, or none instead of that of the article.
  image_id          bigint references images on delete set null,
  removes_image     boolean not null default false,
  publish_at        timestamptz(3),
  -- The error key of the last scheduled publication.
  publication_error text,
  revision          integer not null default 1,
  image_ids         bigint[] not null default '{}',
  -- When a state was last added to draft_revisions; at first, when the draft was created.
  stored_at         timestamptz(3) not null default now(),
  -- Bytes of the contents in draft_revisions.
  revision_bytes    bigint not null default 0,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
-- A save changes no indexed column, so that it writes into no index.
create index drafts_member on drafts (member_id);
create index drafts_scheduled on drafts (publish_at, id) where publish_at is not null;
create index drafts_category on drafts (category_id) where category_id is not null;
create index drafts_image on drafts (image_id) where image_id is not null;

-- Of each member who has had a draft.
create table draft_counts (
  member_id bigint primary key references members on delete cascade,
  drafts    integer not null check (drafts between 0 and 200),
  -- Of the contents of the drafts and their revisions.
  bytes     bigint not null check (bytes between 0 and 50 * 1024 * 1024)
) with (fillfactor = 50);

create table draft_revisions (
  draft_id   bigint not null references drafts on delete cascade,
  number     integer not null,
  title      varchar(100) not null,
  content    text not null,
  tags       text[] not null,
  image_ids  bigint[] not null default '{}',
  characters integer not null generated always as (length(content)) stored,
  -- When the draft got this state.
  created_at timestamptz(3) not null,
  primary key (draft_id, number)
);

create table article_revisions (
  article_id bigint not null references all_articles on delete cascade,
  -- The version of the article that an edit has replaced.
  number     integer not null,
  title      varchar(100) not null,
  content    text not null,
  tags       text[] not null,
  image_ids  bigint[] not null default '{}',
  characters integer not null generated always as (length(content)) stored,
  -- all_articles.updated_at in this state.
  created_at timestamptz(3) not null,
  -- When the edit replaced it.
  replaced_at timestamptz(3) not null default clock_timestamp(),
  primary key (article_id, number)
);

create index drafts_images on drafts using gin (image_ids) where image_ids <> '{}';
create index draft_revisions_images on draft_revisions using gin (image_ids) where image_ids <> '{}';
create index article_revisions_images on article_revisions using gin (image_ids) where image_ids <> '{}';
`;

/**
 * A draft stores the state that a save replaces if it last stored one ten minutes ago. The counters of a member are exact, since their row is locked
 * until the transaction ends: the check constraints are the limits.
 */
const saves = `
create function draft_state_replaced() returns trigger language plpgsql as $$
begin
  insert into draft_revisions (draft_id, number, title, content, tags, created_at)
  values (old.id, old.revision, old.title, old.content, old.tags, old.updated_at);
  delete from draft_revisions where draft_id = old.id and number <=
    (select number from draft_revisions where draft_id = old.id order by number desc offset 20 limit 1);
  new.revision_bytes := (select sum(octet_length(content)) from draft_revisions where draft_id = old.id);
  new.stored_at := now();
  return new;
end $$;
create trigger draft_state_replaced before update on drafts for each row
  when (old.stored_at <= now() - interval '10 minutes'
    and (old.title <> new.title or old.tags <> new.tags or old.content <> new.content))
  execute function draft_state_replaced();

create function draft_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into draft_counts as c (member_id, drafts, bytes) values (new.member_id, 1, octet_length(new.content))
    on conflict (member_id) do update set drafts = c.drafts + 1, bytes = c.bytes + excluded.bytes;
  elsif tg_op = 'DELETE' then
    update draft_counts set drafts = drafts - 1, bytes = bytes - octet_length(old.content) - old.revision_bytes
    where member_id = old.member_id;
  else
    update draft_counts set bytes = bytes - octet_length(old.content) - old.revision_bytes + octet_length(new.content) + new.revision_bytes
    where member_id = old.member_id;
  end if;
  return null;
end $$;
-- By their names after the triggers of images: each change locks the images before the counters.
create trigger draft_total_counted after insert or delete on drafts for each row execute function draft_counted();
create trigger draft_text_counted after update on drafts for each row
  when (octet_length(old.content) + old.revision_bytes <> octet_length(new.content) + new.revision_bytes)
  execute function draft_counted();

-- The draft of a deleted article becomes one of a new article.
create function draft_article_deleted() returns trigger language plpgsql as $$
begin
  new.base_version := null;
  new.removes_image := false;
  return new;
end $$;
create trigger draft_article_deleted before update of article_id on drafts
  for each row when (old.article_id is not null and new.article_id is null) execute function draft_article_deleted();
`;

/**
 * Each text keeps the uploaded images that it refers to, as articles do (0016-inline-images): the rows of the images are locked first. The references of
 * drafts and revisions are arrays, since nothing reads them in the other direction but the check whether an image is still used.
 */
const images = `
create function lock_images_of(content text, image bigint) returns bigint[] language plpgsql as $$
declare
  referenced bigint[];
begin
  if content not like '%.webp%' and image is null then return '{}'; end if;
  referenced := array(
    select id from images where id = image or key in (
      select match[1] from regexp_matches(content, '\\m([0-9a-f]{32})(?:-[0-9]+)?\\.webp', 'g') match
    ) order by id for no key update);
  update images set unreferenced_at = null where id = any(referenced) and unreferenced_at is not null;
  return referenced;
end $$;

create function draft_images_written() returns trigger language plpgsql as $$
begin
  new.image_ids := lock_images_of(new.content, new.image_id);
  return new;
end $$;
create trigger draft_images_written before insert or update of content, image_id on drafts
  for each row execute function draft_images_written();

create function revision_images_written() returns trigger language plpgsql as $$
begin
  new.image_ids := lock_images_of(new.content, null);
  return new;
end $$;
create trigger revision_images_written before insert on draft_revisions
  for each row execute function revision_images_written();
create trigger revision_images_written before insert on article_revisions
  for each row execute function revision_images_written();

create function image_is_referenced(image bigint) returns boolean language sql stable as $$
  select exists (select from article_images where image_id = image)
    or exists (select from drafts where image_ids @> array[image] and image_ids <> '{}')
    or exists (select from draft_revisions where image_ids @> array[image] and image_ids <> '{}')
    or exists (select from article_revisions where image_ids @> array[image] and image_ids <> '{}')
$$;

-- The lock makes concurrent removals of the last two references wait for each other: the later one finds none left.
create function release_images(ids bigint[]) returns void language plpgsql as $$
begin
  perform from images where id = any(ids) order by id for no key update;
  update images i set unreferenced_at = now()
  where i.id = any(ids) and i.unreferenced_at is null and not image_is_referenced(i.id);
end $$;

create or replace function article_image_removed() returns trigger language plpgsql as $$
begin
  perform release_images(array[old.image_id]);
  return null;
end $$;

create function text_images_removed() returns trigger language plpgsql as $$
begin
  perform release_images(old.image_ids);
  return null;
end $$;
create trigger draft_images_removed after delete on drafts
  for each row when (old.image_ids <> '{}') execute function text_images_removed();
create trigger draft_images_changed after update of image_ids, content, image_id on drafts
  for each row when (old.image_ids <> new.image_ids) execute function text_images_removed();
create trigger revision_images_removed after delete on draft_revisions
  for each row when (old.image_ids <> '{}') execute function text_images_removed();
create trigger revision_images_removed after delete on article_revisions
  for each row when (old.image_ids <> '{}') execute function text_images_removed();

-- The image of an article that is an uploaded one stays, too.
create or replace function article_images_written() returns trigger language plpgsql as $$
declare
  referenced bigint[] := lock_images_of(new.content, (select id from images where key = new.image));
begin
  insert into article_images (article_id, image_id) select new.id, unnest(referenced) on conflict do nothing;
  delete from article_images where article_id = new.id and image_id <> all(referenced);
  return null;
end $$;
drop trigger article_images_written_on_insert on all_articles;
drop trigger article_images_written_on_update on all_articles;
create trigger article_images_written_on_insert after insert on all_articles
  for each row when (new.content like '%.webp%' or new.image is not null) execute function article_images_written();
create trigger article_images_written_on_update after update of content, image on all_articles
  for each row when ((old.content <> new.content and (old.content like '%.webp%' or new.content like '%.webp%'))
    or old.image is distinct from new.image)
  execute function article_images_written();
`;

export const migration: Migration = {
  name: '0033-drafts',
  locks: {
    all_articles: 'access exclusive',
    categories: 'share row exclusive',
    members: 'share row exclusive',
    images: 'share row exclusive',
  },
  up: [tables, saves, images],
};
