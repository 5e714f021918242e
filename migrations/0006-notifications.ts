/** What a reader sees of notifications, which of them end, and which stored responses show what the reader no longer sees. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0006-notifications',
  locks: {},
  up: [
    `
-- The decision that a notification is about. Its id is shown to the member whose content it is about, and not to those who reported it.
create function decision_of_notification(n notifications, r reader) returns table (title varchar, decision json) language sql stable as $$
  select coalesce(a.title, ''), json_build_object(
    'id', case when d.member_id = n.member_id then d.id end,
    'action', d.action,
    'target', case when d.comment_id is not null then 'COMMENT' when d.article_id is not null then 'ARTICLE' end)
  from decisions d
    left join comments c on c.id = d.comment_id
    left join all_articles a on a.id = coalesce(d.article_id, c.article_id) and can_read(a.is_private, a.member_id, r)
  where d.id = n.decision_id
$$;

-- What a notification is about. No row: the notification does not exist for the reader. Those about members and decisions exist, and those about articles
-- and drafts that the reader sees. ARTICLE has no actor_id, which would be in another index of a row for each follower: its actor is the author of the
-- article. It ends with the visibility of its article, and a job deletes it.
create function notification_seen_by(n notifications, r reader) returns table (title varchar, slug varchar, actor_id bigint, decision json)
language sql stable as $$
  select a.title, a.slug, case when n.type = 'ARTICLE' then a.member_id else n.actor_id end, null::json
  from all_articles a
  where a.id = n.article_id and can_read(a.is_private, a.member_id, r)
    and not (n.type = 'ARTICLE' and exists (
      select from ended_articles e where e.article_id = n.article_id and n.id <= e.notification_id
    ))
  union all
  select d.title, null, n.actor_id, null from drafts d where d.id = n.draft_id and d.member_id = r.draft_reader_id
  union all
  select '', null, n.actor_id, null where n.type = 'FOLLOW' and not n.actor_id in (select w.id from withdrawn_members w)
  union all
  select d.title, null, null, d.decision from decision_of_notification(n, r) d
$$;

-- Other members who like the article of a notification now.
create function other_likes(n notifications) returns table (number bigint) language sql stable rows 1 as $$
  select v.number - (select count(*) from reactions l where l.article_id = n.article_id and l.kind = 'LIKE' and l.member_id = n.member_id)
  from article_counts r cross join lateral shown_reactions(r.article_id, r.likes, 'LIKE') v
  where r.article_id = n.article_id
$$;

-- The notifications of a member that end with an article: those about a deleted one, and those of followers of one that is no longer public. Usually there
-- are no such articles; offset keeps their order of reading. If there are many articles, each notification of the member is looked up among them: the cost
-- then depends on those that the member has.
create function notifications_of_ended_articles(member bigint) returns setof notifications language sql stable as $$
  select x.*
  from (select exists (select from ended_articles where notification_id is not null offset 100) as are_many) k
    cross join lateral (
      select x.* from ended_articles e cross join lateral (
        select * from notifications
        where article_id = e.article_id and member_id = member and id <= e.notification_id and (e.is_deleted or type = 'ARTICLE') offset 0
      ) x
      where not k.are_many
      union all
      select * from notifications x
      where k.are_many and x.member_id = member and (
        select count(*) from ended_articles e
        where e.article_id = x.article_id and (e.is_deleted or x.type = 'ARTICLE') and x.id <= e.notification_id
      ) > 0
    ) x
$$;

-- With those of followers who withdrew.
create function ended_notifications(member bigint) returns table (id bigint, type varchar, is_unread boolean) language sql stable as $$
  select x.id, x.type, x.read_at is null from notifications_of_ended_articles(member) x
  union all
  select x.id, x.type, x.read_at is null from withdrawn_members w cross join lateral (
    select x.* from notifications x where x.type = 'FOLLOW' and x.actor_id = w.id and x.member_id = member offset 0
  ) x
$$;

-- A comment of which a reader sees the content, not a placeholder, wherever it is.
create function comment_with_content(comment bigint, r reader) returns setof comments language sql stable rows 1 as $$
  select c.* from comments c cross join lateral sight_of_comment(c.member_id, c.received_by, r) s
  where c.id = comment and c.deleted_at is null
    and (c.removed_at is null or s.sees_removed)
    and (not c.is_hidden or s.sees_hidden)
    and not coalesce(s.is_blocked, false)
$$;

-- Whether a stored response shows what the reader does not see any more. Rows by kind: {"comments": [1], "articles": []}.
create function shows_removed(shown jsonb, r reader) returns table (is_removed boolean) language sql stable rows 1 as $$
  select coalesce(bool_or(not case k.kind
    when 'ownArticles' then r.article_reader_id <> 0 or exists (select from all_articles a where a.id = x.id::bigint and not a.is_private)
    when 'articles' then exists (select from all_articles a where a.id = x.id::bigint and can_read(a.is_private, a.member_id, r))
    when 'comments' then exists (
      select from comment_with_content(x.id::bigint, r) c join all_articles a on a.id = c.article_id
      where can_read(a.is_private, a.member_id, r)
    )
    when 'members' then exists (select from members m where m.id = x.id::bigint)
    when 'series' then exists (select from series s where s.id = x.id::bigint)
    when 'notifications' then exists (
      select from notifications n cross join lateral notification_seen_by(n, r) where n.id = x.id::bigint
    )
    else true
  end), false)
  from jsonb_each(shown) k (kind, ids) cross join lateral jsonb_array_elements_text(k.ids) x (id)
$$;
`,
  ],
};
