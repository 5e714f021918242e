/**
 * Notifications of likes and follows. Functions add them, called by one statement each (models/notification/create.ts): in a function, each
 * statement sees what was committed before it, so that the counter that it reads is exact, and of concurrent likes one notifies.
 */
const types = "('COMMENT', 'REPLY', 'SUMMARY', 'PUBLICATION', 'LIKE', 'FOLLOW', 'ARTICLE')";

/** Existing rows satisfy the constraints, which are not checked for them. */
export const notifications = `
alter table notifications
  drop constraint notifications_subject_check,
  add constraint notifications_subject_check check (num_nonnulls(article_id, draft_id) = (type <> 'FOLLOW')::integer) not valid,
  drop constraint notifications_type_check,
  add constraint notifications_type_check check (type in ${types}) not valid;
alter table notification_settings
  drop constraint notification_settings_type_check,
  add constraint notification_settings_type_check check (type in ${types}) not valid;

-- The foreign key sets actor_id to null before the follows of a withdrawn member are deleted.
create function follower_withdrawn() returns trigger language plpgsql as $$
begin
  delete from notifications where id = new.id;
  return null;
end $$;
create trigger follower_withdrawn after update of actor_id on notifications
  for each row when (new.type = 'FOLLOW' and new.actor_id is null) execute function follower_withdrawn();

-- The insertion locks the counters of the article. An article has at most one notification of likes: the first like after it was read replaces it.
create function like_article(article bigint, member bigint, notifies boolean, out likes integer, out notified boolean)
language plpgsql as $$
begin
  insert into article_likes (article_id, member_id) values (article, member) on conflict do nothing;
  notified := found and notifies
    and not exists (select from notifications n where n.article_id = article and n.type = 'LIKE' and n.read_at is null);
  if notified then
    delete from notifications n where n.article_id = article and n.type = 'LIKE';
    insert into notifications (member_id, type, article_id) select member_id, 'LIKE', id from all_articles where id = article;
  end if;
  select c.likes into likes from article_counts c where c.article_id = article;
end $$;

create function unlike_article(article bigint, member bigint) returns integer language plpgsql as $$
begin
  delete from article_likes where article_id = article and member_id = member;
  return coalesce((select c.likes from article_counts c where c.article_id = article), 0);
end $$;

create function follow_member(follower bigint, followed bigint, notifies boolean) returns boolean language plpgsql as $$
begin
  insert into follows (follower_id, member_id) values (follower, followed) on conflict do nothing;
  if not (found and notifies) then return false; end if;
  insert into notifications (member_id, type, actor_id) values (followed, 'FOLLOW', follower);
  return true;
end $$;
`;

export const notificationIndexes = [
  "create unique index notifications_like_key on notifications (article_id) where type = 'LIKE'",
  "create unique index notifications_follow_key on notifications (member_id, actor_id) where type = 'FOLLOW'",
];
