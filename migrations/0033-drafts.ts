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
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now()
);
create index drafts_member on drafts (member_id, updated_at desc, id desc);
create index drafts_scheduled on drafts (publish_at, id) where publish_at is not null;
create index drafts_category on drafts (category_id) where category_id is not null;
create index drafts_image on drafts (image_id) where image_id is not null;

create table draft_revisions (
  draft_id   bigint not null references drafts on delete cascade,
  number     integer not null,
  title      varchar(100) not null,
  content    text not null,
  tags       text[] not null,
  image_ids  bigint[] not null default '{}',
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
  up: [tables, images],
};
