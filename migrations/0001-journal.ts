/** The first tables: members and their sessions, categories, articles with tags, comments with one level of replies. */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table members (
  id            bigint generated always as identity primary key,
  email         varchar(254),
  password_hash text,
  member_name   varchar(30) not null check (length(member_name) >= 1),
  nickname      varchar(30) not null check (length(nickname) >= 2),
  bio           varchar(200) not null default '',
  profile_image text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  check (email is not null or password_hash is null)
);
create unique index members_email_key on members (lower(email));
create unique index members_nickname_key on members (lower(nickname));

create table sessions (
  id           uuid primary key default gen_random_uuid(),
  member_id    bigint not null references members on delete cascade,
  refresh_hash bytea not null check (length(refresh_hash) = 32),
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null
);
create index sessions_member on sessions (member_id);

create table categories (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references members on delete cascade,
  name       varchar(20) not null check (length(name) >= 1),
  is_default boolean not null default false,
  unique (id, member_id)
);
create unique index categories_name_key on categories (member_id, lower(name));
create unique index categories_default_key on categories (member_id) where is_default;

create table articles (
  id              bigint generated always as identity primary key,
  member_id       bigint not null references members on delete cascade,
  category_id     bigint not null,
  title           varchar(100) not null check (length(title) >= 1),
  content         text not null check (length(content) between 1 and 100000),
  image           text,
  ai_summary      text,
  version         integer not null default 1,
  comment_count   integer not null default 0 check (comment_count >= 0),
  top_level_count integer not null default 0 check (top_level_count >= 0),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  -- The category must belong to the author of the article. Checked at commit, so that a withdrawal can delete both.
  constraint articles_category_fkey foreign key (category_id, member_id) references categories (id, member_id)
    deferrable initially deferred
);
create index articles_member on articles (member_id);
create index articles_category on articles (category_id);

create table tags (
  id   bigint generated always as identity primary key,
  name varchar(30) not null unique check (length(name) >= 1)
);
create table article_tags (
  article_id bigint not null references articles on delete cascade,
  position   smallint not null check (position between 0 and 9),
  tag_id     bigint not null references tags on delete cascade,
  primary key (article_id, position),
  unique (tag_id, article_id)
);

create table comments (
  id          bigint generated always as identity primary key,
  article_id  bigint not null references articles on delete cascade,
  parent_id   bigint references comments on delete cascade,
  member_id   bigint references members on delete set null,
  content     varchar(1000) not null,
  reply_count integer not null default 0 check (reply_count >= 0),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  deleted_at  timestamptz(3),
  -- The row of a deleted comment remains as a placeholder, without its content.
  check (case when deleted_at is null then length(content) >= 1 else content = '' and member_id is null end)
);
create index comments_page on comments (article_id, created_at desc, id desc) where parent_id is null;
create index comments_replies on comments (parent_id, created_at, id) where parent_id is not null;
create index comments_article on comments (article_id, created_at desc, id desc);
create index comments_member on comments (member_id, created_at desc, id desc);

-- Records of earlier imports: the key of the source record, and the row created from it.
create table imported_records (
  source text not null,
  kind   text not null check (kind in ('member', 'article', 'comment')),
  key    text not null,
  row_id bigint not null,
  primary key (source, kind, key)
);
`;

/**
 * Counters, so that pages get totals without count(*). Triggers update them in the transaction of the change: row locks taken in
 * the order parent, article make them exact under concurrent writes. articles.top_level_count counts top-level comments including
 * deleted ones that still have replies; comment_count counts comments that are not deleted.
 */
const counts = `
create function comments_inserted() returns trigger language plpgsql as $$
declare
  wanted bigint;
  found_parents bigint;
begin
  select count(distinct parent_id) into wanted from inserted where parent_id is not null;
  if wanted > 0 then
    update comments p set reply_count = p.reply_count + n.replies
    from (select parent_id, article_id, count(*) as replies from inserted where parent_id is not null group by 1, 2) n
    where p.id = n.parent_id and p.article_id = n.article_id and p.parent_id is null and p.deleted_at is null;
    get diagnostics found_parents = row_count;
    if found_parents <> wanted then
      raise exception 'a reply needs a top-level comment of the same article'
        using errcode = 'check_violation', constraint = 'comments_parent_check';
    end if;
  end if;
  update articles a
  set comment_count = a.comment_count + n.live, top_level_count = a.top_level_count + n.places
  from (select article_id, count(*) filter (where deleted_at is null) as live,
               count(*) filter (where parent_id is null) as places
        from inserted group by 1) n
  where a.id = n.article_id;
  return null;
end $$;

create function comments_removed() returns trigger language plpgsql as $$
begin
  update comments p set reply_count = p.reply_count - n.replies
  from (select parent_id, count(*) as replies from removed where parent_id is not null group by 1) n
  where p.id = n.parent_id;
  update articles a
  set comment_count = a.comment_count - n.live, top_level_count = a.top_level_count - n.places
  from (select article_id, count(*) filter (where deleted_at is null) as live,
               count(*) filter (where parent_id is null) as places
        from removed group by 1) n
  where a.id = n.article_id;
  return null;
end $$;

create function comment_emptied() returns trigger language plpgsql as $$
begin
  update articles set comment_count = comment_count - 1 where id = new.article_id;
  return null;
end $$;

create trigger comments_inserted after insert on comments
  referencing new table as inserted for each statement execute function comments_inserted();
create trigger comments_removed after delete on comments
  referencing old table as removed for each statement execute function comments_removed();
create trigger comment_emptied after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function comment_emptied();
`;

export const migration: Migration = {
  name: '0001-journal',
  locks: {},
  up: [tables, counts],
};
