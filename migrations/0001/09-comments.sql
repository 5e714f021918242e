-- Comments with one level of replies, and comments that wait for approval.
--
-- The insertion of a comment runs these triggers: before the row is written, comment_received determines who received it. After the statement, in
-- this order: account_exists and article_exists lock its author and its article like foreign keys; comments_inserted adds to the counters of the comment that is replied to and of the article (whose trigger article_stamped renews its
-- stamp discussed_at), comments_inserted_for_members to those of its author and of the recipient, and comments_stamped_on_insert renews the stamp of
-- lists if the article is public. PostgreSQL runs triggers of one event in the order of their names, and the names here give the order of the locks:
-- parent, article, member_counts by id, stamps. Notifications are inserted by the statement of the application (src/models/notification/create.ts),
-- and have triggers of their own (13-notifications.sql).

-- Public comments, and deleted ones that have replies. A reply has a parent, which has none.
create table comments (
  id          bigint generated always as identity primary key,
  article_id  bigint not null,
  parent_id   bigint references comments on delete cascade,
  -- Null after the withdrawal of the author, and in a deleted comment.
  member_id   bigint,
  content     varchar(1000) not null,
  -- The number of edits, from 1.
  revision    integer not null default 1,
  reply_count integer not null default 0 check (reply_count >= 0),
  -- The member who received the comment: the article's author, unless they wrote it themselves or it was deleted.
  received_by bigint,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  deleted_at  timestamptz(3),
  -- By the author of the article (is_hidden), or a moderator (removed_at). The content is masked when it is read (comment_content).
  is_hidden   boolean not null default false,
  removed_at  timestamptz(3),
  -- The row of a deleted comment remains as a placeholder while it has replies, without its content.
  check (case when deleted_at is null then length(content) >= 1 else content = '' and member_id is null end)
);
create index comments_page on comments (article_id, created_at desc, id desc) where parent_id is null;
create index comments_replies on comments (parent_id, created_at, id) where parent_id is not null;
create index comments_article on comments (article_id, created_at desc, id desc);
create index comments_member on comments (member_id, created_at desc, id desc);
create index comments_received on comments (received_by, created_at desc, id desc) where received_by is not null;
create index comments_hidden on comments (article_id, created_at desc, id desc) where is_hidden and deleted_at is null;
-- For the deletion of what was not restored.
create index comments_removed on comments (removed_at, id) where removed_at is not null;
create trigger account_exists after insert on comments
  referencing new table as changed for each statement execute function member_id_required();
create trigger article_exists after insert on comments
  referencing new table as changed for each statement execute function article_id_required();

create function comment_received() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    select nullif(a.member_id, new.member_id) into new.received_by from all_articles a where a.id = new.article_id;
  else
    new.received_by := null;
  end if;
  return new;
end $$;
create trigger comment_received before insert or update of deleted_at on comments
  for each row execute function comment_received();

-- Counters of the article and of the comment that is replied to, so that pages get totals without count(*). Triggers update them in the transaction
-- of the change: row locks taken in the order parent, article make them exact under concurrent writes.

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
  update all_articles a
  set comment_count = a.comment_count + n.live, top_level_count = a.top_level_count + n.places
  from (select article_id, count(*) filter (where deleted_at is null) as live,
               count(*) filter (where parent_id is null) as places
        from inserted group by 1) n
  where a.id = n.article_id;
  return null;
end $$;
create trigger comments_inserted after insert on comments
  referencing new table as inserted for each statement execute function comments_inserted();

create function comments_removed() returns trigger language plpgsql as $$
begin
  update comments p set reply_count = p.reply_count - n.replies
  from (select parent_id, count(*) as replies from removed where parent_id is not null group by 1) n
  where p.id = n.parent_id;
  update all_articles a
  set comment_count = a.comment_count - n.live, top_level_count = a.top_level_count - n.places
  from (select article_id, count(*) filter (where deleted_at is null) as live,
               count(*) filter (where parent_id is null) as places
        from removed group by 1) n
  where a.id = n.article_id;
  return null;
end $$;
create trigger comments_removed after delete on comments
  referencing old table as removed for each statement execute function comments_removed();

-- A deleted comment that has replies.
create function comment_emptied() returns trigger language plpgsql as $$
begin
  update all_articles set comment_count = comment_count - 1 where id = new.article_id;
  return null;
end $$;
create trigger comment_emptied after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function comment_emptied();

-- Counters of the author and of the recipient.

create function comments_counted_for_members() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from member_counts
  where member_id in (select member_id from changed union select received_by from changed)
  order by member_id for no key update;
  update member_counts c set comments = c.comments + sign * n.comments, received = c.received + sign * n.received
  from (select id, count(*) filter (where wrote) as comments, count(*) filter (where not wrote) as received
        from (select member_id as id, true as wrote from changed union all select received_by, false from changed) x
        where id is not null group by 1) n
  where c.member_id = n.id;
  return null;
end $$;
create trigger comments_inserted_for_members after insert on comments
  referencing new table as changed for each statement execute function comments_counted_for_members();
create trigger comments_removed_for_members after delete on comments
  referencing old table as changed for each statement execute function comments_counted_for_members();

create function comment_emptied_for_members() returns trigger language plpgsql as $$
begin
  perform from member_counts where member_id in (old.member_id, old.received_by) order by member_id for no key update;
  update member_counts
  set comments = comments - coalesce(member_id = old.member_id, false)::int,
      received = received - coalesce(member_id = old.received_by, false)::int
  where member_id in (old.member_id, old.received_by);
  return null;
end $$;
create trigger comment_emptied_for_members after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function comment_emptied_for_members();

-- Stamps.

-- Inserted and deleted comments update the counters instead. names_stamped handles the withdrawal of an author. With a row for the feed of changes
-- (15-changes.sql), in the same statement: the row of the article is locked, so that its visibility is the one at the commit.
create function comment_reworded() returns trigger language plpgsql as $$
begin
  with stamped as (
    update all_articles set discussed_at = clock_timestamp() where id in (old.article_id, new.article_id) returning id, is_private
  )
  insert into change_log (type, object_id, article_id, parent_id, event)
  select 'comment', new.id, new.article_id, new.parent_id, 'changed' from stamped where id = new.article_id and not is_private;
  return null;
end $$;
create trigger comment_reworded after update on comments for each row
  when ((old.content, old.created_at, old.updated_at, old.article_id, old.parent_id, old.member_id) is distinct from
    (new.content, new.created_at, new.updated_at, new.article_id, new.parent_id, coalesce(new.member_id, old.member_id)))
  execute function comment_reworded();
create trigger comment_hidden after update on comments
  for each row when (old.is_hidden <> new.is_hidden) execute function comment_reworded();
create trigger comment_removed after update on comments
  for each row when (old.removed_at is distinct from new.removed_at) execute function comment_reworded();

-- The deletion of an article has its own trigger. Also the rows for the feed of changes: by its name after comments_inserted and comments_removed, which
-- lock the row of the article. Of comments on articles that are not public, only the deletion is logged.
create function comments_stamped() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, article_id, parent_id, event)
  select 'comment', c.id, c.article_id, c.parent_id, case tg_op when 'INSERT' then 'added' else 'changed' end
  from changed c join all_articles a on a.id = c.article_id where not a.is_private;
  if found then perform stamp_journal('comments'); end if;
  if tg_op = 'DELETE' then
    insert into change_log (type, object_id, article_id, parent_id, event)
    select 'comment', c.id, c.article_id, c.parent_id, 'ended' from changed c
    where not exists (select from all_articles a where a.id = c.article_id and not a.is_private);
  end if;
  return null;
end $$;
create trigger comments_stamped_on_insert after insert on comments
  referencing new table as changed for each statement execute function comments_stamped();
create trigger comments_stamped_on_delete after delete on comments
  referencing old table as changed for each statement execute function comments_stamped();
create trigger comment_stamped after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function public_article_stamped('comments');

-- Comments that wait for approval, in a table of their own: what reads `comments`, its counters and its stamps does not know them
-- (docs/decisions/comment-approval.md). The columns of `comments` follow the own ones, with the same names and in the same order: a column that is
-- added to `comments` later has to be added here, and the view created again with the same text. The ids are those of `comments`.
create table held_comments (
  held_at    timestamptz(3) not null default now(),
  -- From 0 to 1; null if there was no model.
  spam_score real,
  like comments including defaults,
  primary key (id),
  foreign key (article_id) references all_articles on delete cascade,
  foreign key (member_id) references members on delete cascade,
  check (length(content) >= 1 and deleted_at is null)
);
alter table held_comments alter column member_id set not null;
create index held_comments_member on held_comments (member_id, created_at desc, id desc);
create index held_comments_received on held_comments (received_by, created_at desc, id desc) where received_by is not null;
create index held_comments_article on held_comments (article_id);
create index held_comments_replies on held_comments (parent_id) where parent_id is not null;
create index held_comments_newest on held_comments (held_at, id);

-- Who sees that a comment waits for approval, on an article that the reader sees: its author, that of the article, and moderators.
create function sees_held(author bigint, article_author bigint, r reader, is_moderator boolean) returns boolean language sql stable as $$
  select coalesce(r.viewer_id = author, false)
    or coalesce(r.viewer_id = article_author, false)
    or is_moderator
$$;

-- The content of a comment as a reader sees it. The conditions are evaluated in this order, as far as necessary; src/models/comment/visibility.ts
-- has those that need subqueries, which PostgreSQL inlines as arguments that are used once.
create function comment_content(
  content varchar, is_deleted boolean, is_place_of_held boolean, is_removed boolean, sees_removed boolean, is_hidden boolean, sees_hidden boolean,
  is_blocked boolean
) returns varchar language sql immutable as $$
  select case
    when is_deleted then case when is_place_of_held then '(held)' else '(deleted)' end
    when is_removed and not sees_removed then '(removed)'
    when is_hidden and not sees_hidden then '(hidden)'
    when is_blocked then '(blocked)'
    else content
  end
$$;

create view all_comments as
  select null::timestamptz(3) as held_at, null::real as spam_score, c.* from comments c
  union all select * from held_comments;

-- The comments of one member that wait for approval at the same time are limited. True, or an error that the service translates, before a comment is
-- held. In a function, since its statements see what was committed before each of them, and so before the lock. The first key is HELD_COMMENT_LOCKS
-- of src/platform/database/locks.ts.
create function require_few_held(member bigint, author bigint, most integer, most_of_author integer) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(4270011, hashint8(member));
  if (select count(*) >= most or count(*) filter (where received_by = author) >= most_of_author from held_comments where member_id = member) then
    raise exception 'too many comments of the member wait for approval' using errcode = 'check_violation', constraint = 'held_comments_limit';
  end if;
  return true;
end $$;

-- A held reply ends with the comment that it replies to, but not while that one is held itself.
create function held_replies_ended() returns trigger language plpgsql as $$
begin
  delete from held_comments h using removed r
  where h.parent_id = r.id and not exists (select from held_comments p where p.id = r.id);
  return null;
end $$;
create trigger held_replies_ended after delete on comments
  referencing old table as removed for each statement execute function held_replies_ended();

create function held_replies_of_emptied_ended() returns trigger language plpgsql as $$
begin
  delete from held_comments h where h.parent_id = new.id and not exists (select from held_comments p where p.id = new.id);
  return null;
end $$;
create trigger held_replies_of_emptied_ended after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function held_replies_of_emptied_ended();

-- Approved or rejected. The place of a comment with replies is shown in another way if it was rejected.
create function held_comment_ended() returns trigger language plpgsql as $$
begin
  if exists (select from comments where id = old.id and deleted_at is null) then return null; end if;
  delete from held_comments where parent_id = old.id;
  update all_articles set discussed_at = clock_timestamp()
  where id = old.article_id and exists (select from comments where id = old.id);
  return null;
end $$;
create trigger held_comment_ended after delete on held_comments for each row execute function held_comment_ended();

-- The reverse of comment_emptied, comment_emptied_for_members and comment_stamped, which lock in the same order. By its name before
-- comment_reworded, and like that trigger after comment_received.
create function comment_restored() returns trigger language plpgsql as $$
begin
  update all_articles set comment_count = comment_count + 1 where id = new.article_id;
  perform from member_counts where member_id in (new.member_id, new.received_by) order by member_id for no key update;
  update member_counts
  set comments = comments + coalesce(member_id = new.member_id, false)::int,
      received = received + coalesce(member_id = new.received_by, false)::int
  where member_id in (new.member_id, new.received_by);
  if exists (select from all_articles where id = new.article_id and not is_private) then perform stamp_journal('comments'); end if;
  return null;
end $$;
create trigger comment_restored after update of deleted_at on comments
  for each row when (old.deleted_at is not null and new.deleted_at is null) execute function comment_restored();

create function held_comments_given() returns trigger language plpgsql as $$
begin
  update held_comments set received_by = nullif(new.member_id, member_id) where article_id = new.id;
  return null;
end $$;
create trigger held_comments_given after update of member_id on all_articles
  for each row when (old.member_id <> new.member_id) execute function held_comments_given();
