/** Images that members upload for the content of their articles, and the references to them. */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table images (
  id              bigint generated always as identity primary key,
  member_id       bigint not null references members on delete cascade,
  key             text not null unique check (key ~ '^[0-9a-f]{32}$'),
  width           integer not null check (width > 0),
  height          integer not null check (height > 0),
  -- Of the files of all sizes.
  bytes           bigint not null check (bytes > 0),
  created_at      timestamptz(3) not null default now(),
  -- Since when no article refers to the image; null while one does.
  unreferenced_at timestamptz(3) default now()
);
create index images_member on images (member_id, id) include (bytes);
create index images_unreferenced on images (unreferenced_at) where unreferenced_at is not null;

create table article_images (
  article_id bigint not null references articles on delete cascade,
  image_id   bigint not null references images on delete cascade,
  primary key (article_id, image_id)
);
create index article_images_image on article_images (image_id);

-- Width of the image in pixels; null for an image without smaller sizes, until a job makes them.
alter table articles add column image_width integer;

-- A picture of another host that an import has stored as an image, so that a repeated import does not store it again.
alter table imported_records drop constraint imported_records_kind_check;
alter table imported_records add constraint imported_records_kind_check
  check (kind in ('member', 'article', 'comment', 'image'));
`;

/**
 * The references follow the content, whichever statement changes it. The rows of the images are locked first: an image that is being
 * removed is either gone then, or is removed only after this transaction, and then not, because unreferenced_at has changed.
 */
const references = `
create function article_images_written() returns trigger language plpgsql as $$
declare
  referenced bigint[] := array(
    select id from images where key in (
      select match[1] from regexp_matches(new.content, '\\m([0-9a-f]{32})(?:-[0-9]+)?\\.webp', 'g') match
    ) order by id for no key update);
begin
  insert into article_images (article_id, image_id) select new.id, unnest(referenced) on conflict do nothing;
  update images set unreferenced_at = null where id = any(referenced) and unreferenced_at is not null;
  delete from article_images where article_id = new.id and image_id <> all(referenced);
  return null;
end $$;
create trigger article_images_written_on_insert after insert on articles
  for each row when (new.content like '%.webp%') execute function article_images_written();
create trigger article_images_written_on_update after update of content on articles
  for each row when (old.content <> new.content and (old.content like '%.webp%' or new.content like '%.webp%'))
  execute function article_images_written();

-- The lock makes concurrent removals of the last two references wait for each other: the later one finds none left.
create function article_image_removed() returns trigger language plpgsql as $$
begin
  perform from images where id = old.image_id for no key update;
  update images set unreferenced_at = now()
  where id = old.image_id and unreferenced_at is null
    and not exists (select from article_images where image_id = old.image_id);
  return null;
end $$;
create trigger article_image_removed after delete on article_images
  for each row execute function article_image_removed();

-- The HTML of articles contains the sizes of their images.
create function image_removed() returns trigger language plpgsql as $$
begin
  update articles set revised_at = clock_timestamp()
  where id in (select article_id from article_images where image_id = old.id);
  return old;
end $$;
create trigger image_removed before delete on images
  for each row when (old.unreferenced_at is null) execute function image_removed();
`;

const unsized = 'create index articles_unsized on articles (id) where image is not null and image_width is null';

export const migration: Migration = {
  name: '0016-inline-images',
  locks: { articles: 'access exclusive', members: 'share row exclusive', imported_records: 'access exclusive' },
  up: [tables, references],
  indexes: [unsized],
};
