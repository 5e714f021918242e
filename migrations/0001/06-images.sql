-- Images that members upload for their texts, and the references to them. The files are in the image store (docs/decisions/images.md).

-- An uploaded image in all its sizes. `key` is the name of its files.
create table images (
  id              bigint generated always as identity primary key,
  member_id       bigint not null,
  key             text not null unique check (key ~ '^[0-9a-f]{32}$'),
  width           integer not null check (width > 0),
  height          integer not null check (height > 0),
  -- Of the files of all sizes.
  bytes           bigint not null check (bytes > 0),
  created_at      timestamptz(3) not null default now(),
  -- Since when no text refers to the image; null while one does. A job deletes it after some time.
  unreferenced_at timestamptz(3) default now()
);
create index images_member on images (member_id, id) include (bytes);
create index images_unreferenced on images (unreferenced_at) where unreferenced_at is not null;
create trigger account_exists after insert on images
  referencing new table as changed for each statement execute function member_id_required();

-- References of articles. Those of drafts and revisions are arrays in their rows (07-drafts-and-revisions.sql), since nothing reads them in the other
-- direction but the check whether an image is still used.
create table article_images (
  article_id bigint not null references all_articles on delete cascade,
  image_id   bigint not null references images on delete cascade,
  primary key (article_id, image_id)
);
create index article_images_image on article_images (image_id);

-- The references follow the content, whichever statement changes it. The rows of the images are locked first: an image that is being removed is
-- either gone then, or is removed only after this transaction, and then not, because unreferenced_at has changed.
create function lock_images_of(content text, image bigint) returns bigint[] language plpgsql as $$
declare
  referenced bigint[];
begin
  if content not like '%.webp%' and image is null then return '{}'; end if;
  referenced := array(
    select id from images where id = image or key in (
      select match[1] from regexp_matches(content, '\m([0-9a-f]{32})(?:-[0-9]+)?\.webp', 'g') match
    ) order by id for no key update);
  update images set unreferenced_at = null where id = any(referenced) and unreferenced_at is not null;
  return referenced;
end $$;

-- The image of an article that is an uploaded one stays, too.
create function article_images_written() returns trigger language plpgsql as $$
declare
  referenced bigint[] := lock_images_of(new.content, (select id from images where key = new.image));
begin
  insert into article_images (article_id, image_id) select new.id, unnest(referenced) on conflict do nothing;
  delete from article_images where article_id = new.id and image_id <> all(referenced);
  return null;
end $$;
create trigger article_images_written_on_insert after insert on all_articles
  for each row when (new.content like '%.webp%' or new.image is not null) execute function article_images_written();
create trigger article_images_written_on_update after update of content, image on all_articles
  for each row when ((old.content <> new.content and (old.content like '%.webp%' or new.content like '%.webp%'))
    or old.image is distinct from new.image)
  execute function article_images_written();

-- The lock makes concurrent removals of the last two references wait for each other: the later one finds none left. image_is_referenced is in
-- 07-drafts-and-revisions.sql.
create function release_images(ids bigint[]) returns void language plpgsql as $$
begin
  perform from images where id = any(ids) order by id for no key update;
  update images i set unreferenced_at = now()
  where i.id = any(ids) and i.unreferenced_at is null and not image_is_referenced(i.id);
end $$;

create function article_image_removed() returns trigger language plpgsql as $$
begin
  perform release_images(array[old.image_id]);
  return null;
end $$;
create trigger article_image_removed after delete on article_images
  for each row execute function article_image_removed();

create function text_images_removed() returns trigger language plpgsql as $$
begin
  perform release_images(old.image_ids);
  return null;
end $$;

-- The HTML of articles contains the sizes of their images.
create function image_removed() returns trigger language plpgsql as $$
begin
  update all_articles set revised_at = clock_timestamp()
  where id in (select article_id from article_images where image_id = old.id);
  return old;
end $$;
create trigger image_removed before delete on images
  for each row when (old.unreferenced_at is null) execute function image_removed();
