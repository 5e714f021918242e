-- Members, their public numbers, suspensions, and blocks between two of them. What they log in with is in 03-sessions-and-tokens.sql.

-- Accounts with their public profiles. An imported author is a member without an address and a password.
create table members (
  id                   bigint generated always as identity primary key,
  -- For the login; null for imported members until `daybook member claim`. The password is also null with logins of other providers only.
  email                varchar(254),
  password_hash        text,
  -- When the address was confirmed by a link.
  email_verified_at    timestamptz(3),
  -- The registration, if the account may log in only after a confirmation; null after the first login.
  pending_since        timestamptz(3),
  -- Another registration named the address before it was confirmed, so that the password may be that of another person.
  registered_again     boolean not null default false,
  -- Since when the account is locked: `daybook member lock`.
  locked_at            timestamptz(3),
  -- The user handle (WebAuthn Level 3 §14.6.1) is random, and not the id of the member. Null before the first registration of a passkey.
  user_handle          uuid,
  -- Of e-mails.
  language             text not null default 'en' check (language ~ '^[a-z]{2}$'),

  -- The public profile.
  member_name          varchar(30) not null check (length(member_name) >= 1),
  nickname             varchar(30) not null check (length(nickname) >= 2),
  -- A form in which nicknames that look alike are equal (src/platform/display-name/skeleton.ts). Null until the job `fill-name-skeletons` has
  -- computed it, and if two older members have names that look alike.
  nickname_skeleton    text,
  bio                  varchar(200) not null default '',
  profile_image        text,
  -- The shorter side in pixels; null until the square sizes of the image exist.
  profile_image_side   integer,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),

  role                 text not null default 'MEMBER' constraint members_role_check check (role in ('MEMBER', 'MODERATOR', 'ADMIN')),
  -- A suspension (docs/decisions/roles.md): four columns, or none of them.
  suspended_since      timestamptz(3),
  -- 'infinity' if the suspension has no end; a time in the past has no effect.
  suspended_until      timestamptz(3),
  suspension_rule      text,
  suspension_statement text,
  check (email is not null or password_hash is null),
  constraint members_suspension_check check (
    num_nulls(suspended_since, suspended_until, suspension_rule, suspension_statement) in (0, 4)
    and length(suspension_rule) between 1 and 200 and length(suspension_statement) between 1 and 1000)
);
-- One rule for equal addresses, which does not depend on the locale of the database: only the letters A to Z are folded.
create unique index members_email_key on members (lower(email::text collate "C"));
create unique index members_nickname_key on members (lower(nickname));
create unique index members_nickname_skeleton_key on members (nickname_skeleton);
-- To look up whether an image is referenced.
create index members_image on members (profile_image) where profile_image is not null;
-- Of the few who have one; the admins are locked for a change of roles.
create index members_with_role on members (id) where role <> 'MEMBER';
-- For the job that deletes registrations that were never confirmed.
create index members_pending on members (pending_since) where pending_since is not null;

-- What the public profile shows.
create trigger names_stamped after update on members for each row
  when ((old.nickname, old.bio, old.profile_image, old.profile_image_side, old.updated_at, old.role) is distinct from
    (new.nickname, new.bio, new.profile_image, new.profile_image_side, new.updated_at, new.role))
  execute function names_stamped();
create trigger names_stamped_on_withdrawal after delete on members for each row execute function names_stamped();

-- A withdrawal deletes the row of the member. What many rows have of them is deleted in batches, by a job: these rows have no foreign key, which would
-- change all of them in the same transaction (docs/decisions/withdrawal.md). In its place, triggers reject rows of members who do not exist, with the
-- same lock and the same error. By their names they run before the triggers that lock counters.
create function require_members(ids bigint[], referring name, key text) returns void language plpgsql as $$
begin
  if (select count(*) from (select from members where id = any(ids) order by id for key share) m) < cardinality(ids) then
    raise foreign_key_violation using message = 'there is no such member',
      table = referring, constraint = referring || '_' || key || '_fkey';
  end if;
end $$;

create function member_id_required() returns trigger language plpgsql as $$
begin
  perform require_members(array(select distinct member_id from changed where member_id is not null), tg_table_name, 'member_id');
  return null;
end $$;

create function actor_id_required() returns trigger language plpgsql as $$
begin
  perform require_members(array(select distinct actor_id from changed where actor_id is not null), tg_table_name, 'actor_id');
  return null;
end $$;

create function follower_id_required() returns trigger language plpgsql as $$
begin
  perform require_members(array(select distinct follower_id from changed where follower_id is not null), tg_table_name, 'follower_id');
  return null;
end $$;

-- Members who withdrew, while rows of other tables still have their ids.
create table withdrawn_members (id bigint primary key);

create function members_withdrawn() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  insert into withdrawn_members (id) select id from withdrawn m
  where exists (select from comments where member_id = m.id)
    or exists (select from reactions where member_id = m.id)
    or exists (select from follows where member_id = m.id)
    or exists (select from notifications where member_id = m.id)
    or exists (select from article_mentions where member_id = m.id)
    or exists (select from comment_mentions where member_id = m.id)
    or exists (select from images where member_id = m.id)
    or exists (select from notifications where actor_id = m.id)
    or exists (select from follows where follower_id = m.id);
  if found then
    perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
  end if;
  return null;
end $$;
create trigger members_withdrawn after delete on members
  referencing old table as withdrawn for each statement execute function members_withdrawn();

-- Counters, which triggers update in the transaction of the change. In a table of their own, since a counter in members would write a new version of
-- the member's row with each comment. Locks are taken in the order article, member_counts by id.
create table member_counts (
  member_id          bigint primary key references members on delete cascade,
  -- Public articles and comments, and comments on articles of the member by others.
  articles           integer not null default 0 check (articles >= 0),
  comments           integer not null default 0 check (comments >= 0),
  received           integer not null default 0 check (received >= 0),
  private_articles   integer not null default 0 check (private_articles >= 0),
  followers          integer not null default 0 check (followers >= 0),
  -- The stamp of the numbers that a public profile shows; null until the first change.
  profile_changed_at timestamptz,
  -- The number of articles of the member that were announced to followers on this day (UTC).
  announced          integer not null default 0,
  announced_on       date
) with (fillfactor = 50);

create function members_inserted() returns trigger language plpgsql as $$
begin
  insert into member_counts (member_id) select id from inserted;
  return null;
end $$;
create trigger members_inserted after insert on members
  referencing new table as inserted for each statement execute function members_inserted();

create function profile_counts_stamped() returns trigger language plpgsql as $$
begin
  new.profile_changed_at := stamp_after(old.profile_changed_at);
  return new;
end $$;
create trigger profile_counts_stamped before update on member_counts for each row
  when ((old.articles, old.followers) is distinct from (new.articles, new.followers))
  execute function profile_counts_stamped();

-- The suspension of a member as JSON; null without one, or after its end.
create function suspension_of(since timestamptz, until timestamptz, rule text, statement text) returns json
  language sql stable as $$
  select case when until > now() then
    json_build_object('since', since, 'until', nullif(until, 'infinity'), 'rule', rule, 'statement', statement) end
$$;

-- True, or an error that the service translates: a condition in statements that suspended members must not execute.
create function require_not_suspended(member bigint) returns boolean language plpgsql stable as $$
declare
  suspension json;
begin
  select suspension_of(suspended_since, suspended_until, suspension_rule, suspension_statement) into suspension
  from members where id = member;
  if suspension is not null then
    raise check_violation using constraint = 'member_suspended', message = 'the member is suspended', detail = suspension::text;
  end if;
  return true;
end $$;

-- The streams of API tokens end, as when the tokens are deleted.
create function member_suspended() returns trigger language plpgsql as $$
begin
  perform pg_notify('daybook_sessions', new.id::text);
  return null;
end $$;
create trigger member_suspended after update of suspended_until on members for each row
  when (old.suspended_until is distinct from new.suspended_until) execute function member_suspended();

-- Members who have nothing to do with each other (docs/decisions/blocks.md).
create table blocks (
  member_id  bigint not null references members on delete cascade,
  blocked_id bigint not null references members on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, blocked_id),
  constraint blocks_not_oneself check (member_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);
-- The blocks between two members, whoever of them blocks the other, in one lookup.
create index blocks_pair on blocks (least(member_id, blocked_id), greatest(member_id, blocked_id));

-- As whom rows are read (src/models/reader.ts). Each id is that of the member, or 0 where the member is read for like everyone else, as with an API
-- token without the scope.
create type reader as (
  -- Sees hidden comments as their author and as that of the article. The blocks of this member apply.
  viewer_id         bigint,
  -- Sees private articles as their author.
  article_reader_id bigint,
  -- Sees notifications about drafts as their author.
  draft_reader_id   bigint,
  -- Sees what moderators see, if the member has a role.
  moderator_id      bigint
);

-- The reader who sees everything that belongs to the member, without a role.
create function reader_of(member bigint) returns reader language sql immutable as $$
  select row(member, member, member, 0)::reader
$$;

-- Locks of pairs of members: writes that a block prevents share the lock of the pair until they are committed, and a block waits for them. Both take
-- it before all other locks. In functions, since their statements see what was committed before each of them, and so before the lock. The first key
-- is BLOCK_LOCKS of src/platform/database/locks.ts.
create function lock_of_pair(member bigint, other bigint) returns integer language sql immutable strict as $$
  select hashtext(least(member, other) || ' ' || greatest(member, other))
$$;

create function blocks_between(member bigint, others bigint[]) returns table (member_id bigint, blocked_id bigint) language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4270009, o.lock)
  from (select distinct lock_of_pair(member, id) as lock from unnest(others) x (id) where id <> member order by 1) o;
  return query select b.member_id, b.blocked_id from unnest(others) x (id) join blocks b
    on least(b.member_id, b.blocked_id) = least(member, x.id) and greatest(b.member_id, b.blocked_id) = greatest(member, x.id);
end $$;

-- The blocks of one member wait for each other, so that their number is exact.
create function block_member(member bigint, other bigint, most integer) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(4270009, lock_of_pair(member, member));
  perform pg_advisory_xact_lock(4270009, lock_of_pair(member, other));
  insert into blocks (member_id, blocked_id) values (member, other) on conflict do nothing;
  if not found then return; end if;
  if (select count(*) from blocks b where b.member_id = member) > most then
    raise exception using errcode = 'check_violation', constraint = 'blocks_limit';
  end if;
  delete from follows f where (f.follower_id, f.member_id) in ((member, other), (other, member));
end $$;
