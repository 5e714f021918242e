/**
 * Counters and stamps. Locks are taken in the order article_counts or reader_counts, member_counts, notification_counts, journal_stamps, and in
 * each table by id.
 */
export const counters = `
-- What readers do with an article, in a table of its own: a change of the article's row would renew the stamps of feeds and comments, and
-- write into all of its indexes. An article without a row has no likes; a row stays, so that its stamp only increases.
create table article_counts (
  article_id bigint primary key references all_articles on delete cascade,
  likes      integer not null default 0 check (likes >= 0),
  changed_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- Of each member who has had a bookmark or followed a member. The limits are those of models/bookmark.ts and models/follow.ts.
create table reader_counts (
  member_id bigint primary key references members on delete cascade,
  bookmarks integer not null default 0 check (bookmarks between 0 and 10000),
  following integer not null default 0 check (following between 0 and 5000)
) with (fillfactor = 50);

-- profile_changed_at is the stamp of the numbers that a public profile shows; null until the first change after this migration.
alter table member_counts
  add column followers integer not null default 0 check (followers >= 0),
  add column profile_changed_at timestamptz;
create function profile_counts_stamped() returns trigger language plpgsql as $$
begin
  new.profile_changed_at := stamp_after(old.profile_changed_at);
  return new;
end $$;
create trigger profile_counts_stamped before update on member_counts for each row
  when ((old.articles, old.followers) is distinct from (new.articles, new.followers))
  execute function profile_counts_stamped();

-- The stamp of the counters in lists: that of feeds and of the sitemap does not include it.
alter table journal_stamps
  drop constraint journal_stamps_kind_check,
  add constraint journal_stamps_kind_check check (kind in ('articles', 'comments', 'counts'));

create function article_likes_counted() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then return null; end if;
  if tg_op = 'INSERT' then
    insert into article_counts as c (article_id, likes)
    select article_id, count(*) from changed group by 1 order by 1
    on conflict (article_id) do update set likes = c.likes + excluded.likes, changed_at = stamp_after(c.changed_at);
  else
    perform from article_counts where article_id in (select article_id from changed) order by article_id for no key update;
    update article_counts c set likes = c.likes - n.likes, changed_at = stamp_after(c.changed_at)
    from (select article_id, count(*) as likes from changed group by 1) n where c.article_id = n.article_id;
    delete from notifications n
    where n.type = 'LIKE' and n.article_id in (select article_id from changed)
      and not exists (select from article_likes l where l.article_id = n.article_id and l.member_id <> n.member_id);
  end if;
  -- Waits for a change of the visibility, so that one of the two transactions renews the stamp of lists.
  perform from all_articles where is_private and id in (select article_id from changed) order by id for share;
  if exists (select from changed x join all_articles a on a.id = x.article_id where not a.is_private) then
    perform stamp_journal('counts');
  end if;
  return null;
end $$;
create trigger article_likes_inserted after insert on article_likes
  referencing new table as changed for each statement execute function article_likes_counted();
create trigger article_likes_removed after delete on article_likes
  referencing old table as changed for each statement execute function article_likes_counted();

create function bookmarks_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into reader_counts as c (member_id, bookmarks)
    select member_id, count(*) from changed group by 1 order by 1
    on conflict (member_id) do update set bookmarks = c.bookmarks + excluded.bookmarks;
  else
    perform from reader_counts where member_id in (select member_id from changed) order by member_id for no key update;
    update reader_counts c set bookmarks = c.bookmarks - n.bookmarks
    from (select member_id, count(*) as bookmarks from changed group by 1) n where c.member_id = n.member_id;
  end if;
  return null;
end $$;
create trigger bookmarks_inserted after insert on bookmarks
  referencing new table as changed for each statement execute function bookmarks_counted();
create trigger bookmarks_removed after delete on bookmarks
  referencing old table as changed for each statement execute function bookmarks_counted();

create function follows_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if tg_op = 'INSERT' then
    insert into reader_counts as c (member_id, following)
    select follower_id, count(*) from changed group by 1 order by 1
    on conflict (member_id) do update set following = c.following + excluded.following;
  else
    perform from reader_counts where member_id in (select follower_id from changed) order by member_id for no key update;
    update reader_counts c set following = c.following - n.following
    from (select follower_id, count(*) as following from changed group by 1) n where c.member_id = n.follower_id;
  end if;
  perform from member_counts where member_id in (select member_id from changed) order by member_id for no key update;
  update member_counts c set followers = c.followers + sign * n.followers
  from (select member_id, count(*) as followers from changed group by 1) n where c.member_id = n.member_id;
  if tg_op = 'DELETE' then
    delete from notifications n using changed x
    where n.type = 'FOLLOW' and n.member_id = x.member_id and n.actor_id = x.follower_id;
  end if;
  return null;
end $$;
create trigger follows_inserted after insert on follows
  referencing new table as changed for each statement execute function follows_counted();
create trigger follows_removed after delete on follows
  referencing old table as changed for each statement execute function follows_counted();
`;
