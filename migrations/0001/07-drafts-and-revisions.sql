-- Drafts, the earlier states of drafts and articles, all of which only their authors see, and links with which anyone can read one text.

-- Texts that are not published: of new articles, and edits of published ones (docs/decisions/drafts.md).
create table drafts (
  id                bigint generated always as identity primary key,
  -- That of the article, if it becomes a new one.
  key               uuid not null default gen_random_uuid(),
  member_id         bigint not null references members on delete cascade,
  -- The article that the draft is an edit of; null for a new one.
  article_id        bigint unique references all_articles on delete set null,
  -- The revision of the article that the edit began with.
  base_revision     integer,
  title             varchar(100) not null default '',
  content           text not null default '' check (length(content) <= 100000),
  description       varchar(300),
  language          varchar(35) collate "C",
  -- An article of the author, whose translation it will be, also in place of others; or whether the article leaves its translations.
  translation_of    bigint references all_articles on delete set null,
  leaves_translations boolean not null default false,
  canonical_url     varchar(2000),
  -- That of the article; null: when the draft is published, or that of the article that it is an edit of.
  published_at      timestamptz(3),
  category_id       bigint references categories on delete set null,
  tags              text[] not null default '{}' check (cardinality(tags) <= 10),
  slug              varchar(100),
  is_private        boolean not null default false,
  -- The image of the article: an uploaded one, or none instead of that of the article. Its alternative text is null but for imported drafts.
  image_id          bigint references images on delete set null,
  image_alt         varchar(300),
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
create index drafts_translation on drafts (translation_of) where translation_of is not null;
create index drafts_category on drafts (category_id) where category_id is not null;
create index drafts_image on drafts (image_id) where image_id is not null;
create index drafts_images on drafts using gin (image_ids) where image_ids <> '{}';

-- The draft of a deleted article becomes one of a new article.
create function draft_article_deleted() returns trigger language plpgsql as $$
begin
  new.base_revision := null;
  new.removes_image := false;
  new.leaves_translations := false;
  return new;
end $$;
create trigger draft_article_deleted before update of article_id on drafts
  for each row when (old.article_id is not null and new.article_id is null) execute function draft_article_deleted();

-- Of each member who has had a draft. The counters are exact, since their row is locked until the transaction ends: the check constraints are the
-- limits.
create table draft_counts (
  member_id bigint primary key references members on delete cascade,
  drafts    integer not null check (drafts between 0 and 200),
  -- Of the contents of the drafts and their revisions.
  bytes     bigint not null check (bytes between 0 and 50 * 1024 * 1024)
) with (fillfactor = 50);

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

-- Earlier states of drafts: see draft_state_replaced.
create table draft_revisions (
  draft_id   bigint not null references drafts on delete cascade,
  number     integer not null,
  title      varchar(100) not null,
  content    text not null,
  description varchar(300),
  tags       text[] not null,
  image_ids  bigint[] not null default '{}',
  characters integer not null generated always as (length(content)) stored,
  -- When the draft got this state.
  created_at timestamptz(3) not null,
  primary key (draft_id, number)
);
create index draft_revisions_images on draft_revisions using gin (image_ids) where image_ids <> '{}';

create function add_draft_revision(draft bigint) returns void language sql as $$
  insert into draft_revisions (draft_id, number, title, content, description, tags, created_at)
  select id, revision, title, content, description, tags, updated_at from drafts where id = draft
  on conflict do nothing
$$;

-- A draft stores the state that a save replaces if it last stored one ten minutes ago, and keeps the newest 20.
create function draft_state_replaced() returns trigger language plpgsql as $$
begin
  perform add_draft_revision(old.id);
  delete from draft_revisions where draft_id = old.id and number <=
    (select number from draft_revisions where draft_id = old.id order by number desc offset 20 limit 1);
  new.revision_bytes := (select sum(octet_length(content)) from draft_revisions where draft_id = old.id);
  new.stored_at := now();
  return new;
end $$;
create trigger draft_state_replaced before update on drafts for each row
  when (old.stored_at <= now() - interval '10 minutes'
    and (old.title <> new.title or old.description is distinct from new.description or old.tags <> new.tags or old.content <> new.content))
  execute function draft_state_replaced();

-- Each edit of an article stores the state that it replaces (docs/decisions/revisions.md).
create table article_revisions (
  article_id  bigint not null references all_articles on delete cascade,
  -- The revision of the article that an edit has replaced.
  number      integer not null,
  title       varchar(100) not null,
  content     text not null,
  description varchar(300),
  tags        text[] not null,
  image_ids   bigint[] not null default '{}',
  characters  integer not null generated always as (length(content)) stored,
  -- all_articles.updated_at in this state.
  created_at  timestamptz(3) not null,
  -- When the edit replaced it.
  replaced_at timestamptz(3) not null default clock_timestamp(),
  primary key (article_id, number)
);
create index article_revisions_images on article_revisions using gin (image_ids) where image_ids <> '{}';

-- The number is in use only if an operator has lowered the revision of the article: its edits must not fail then.
create function add_article_revision(article bigint) returns void language sql as $$
  insert into article_revisions (article_id, number, title, content, description, tags, created_at)
  select a.id, a.revision, a.title, a.content, a.description,
    array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by x.position),
    a.updated_at
  from all_articles a where a.id = article
  on conflict do nothing
$$;

-- A trigger, since several commands, imports and operators change the title, the description and the content; only src/commands/edit-article.ts changes the tags of an
-- existing article.
create function article_revised() returns trigger language plpgsql as $$
begin
  perform add_article_revision(old.id);
  new.revision := greatest(new.revision, old.revision + 1);
  return new;
end $$;
create trigger article_revised before update of title, content, description on all_articles
  for each row when (old.title <> new.title or old.description is distinct from new.description or old.content <> new.content) execute function article_revised();

-- Images. Each text keeps the uploaded images that it refers to, as articles do.

create function image_is_referenced(image bigint) returns boolean language sql stable as $$
  select exists (select from article_images where image_id = image)
    or exists (select from drafts where image_ids @> array[image] and image_ids <> '{}')
    or exists (select from draft_revisions where image_ids @> array[image] and image_ids <> '{}')
    or exists (select from article_revisions where image_ids @> array[image] and image_ids <> '{}')
$$;

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

create trigger draft_images_removed after delete on drafts
  for each row when (old.image_ids <> '{}') execute function text_images_removed();
create trigger draft_images_changed after update of image_ids, content, image_id on drafts
  for each row when (old.image_ids <> new.image_ids) execute function text_images_removed();
create trigger revision_images_removed after delete on draft_revisions
  for each row when (old.image_ids <> '{}') execute function text_images_removed();
create trigger revision_images_removed after delete on article_revisions
  for each row when (old.image_ids <> '{}') execute function text_images_removed();

-- Links with which anyone can read one draft or article until they expire.
create table share_links (
  token_hash bytea primary key check (length(token_hash) = 32),
  -- The author.
  member_id  bigint not null references members on delete cascade,
  article_id bigint references all_articles on delete cascade,
  draft_id   bigint references drafts on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint share_links_article_key unique (article_id),
  constraint share_links_draft_key unique (draft_id),
  constraint share_links_one_text check (num_nonnulls(article_id, draft_id) = 1)
);
create index share_links_member on share_links (member_id);
create index share_links_expired on share_links (expires_at);
