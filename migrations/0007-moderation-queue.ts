/** The entries of the queue of moderators, and what moderators have read of a target. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0007-moderation-queue',
  locks: {},
  up: [
    `
-- Open cases and appeals with the member concerned, and comments that wait for approval, without those on private articles: moderators do not see the
-- article, and its author decides. Scalar subqueries keep PostgreSQL from joining all articles.
create view open_cases as
  select k.id, k.opened_at, coalesce(
    k.member_id,
    (select a.member_id from all_articles a where a.id = k.article_id),
    (select c.member_id from all_comments c where c.id = k.comment_id and c.deleted_at is null)
  ) as concerned_id
  from moderation_cases k where k.opened_at is not null;
create view open_appeals as
  select p.decision_id, p.created_at, (select d.member_id from decisions d where d.id = p.decision_id) as concerned_id
  from appeals p where p.answer_id is null;
create view queued_comments as
  select h.id, h.held_at, h.member_id as concerned_id
  from held_comments h where not (select a.is_private from all_articles a where a.id = h.article_id);

-- What an entry of the queue (REPORT, HELD, APPEAL) is about. Of each table one row is looked up, with a limit: the planner does not know the size of the
-- page, and would read all rows for a join.
create function record_of_entry(kind text, entry bigint) returns table (
  case_id bigint, decided_id bigint, article_id bigint, comment_id bigint, member_id bigint, appeal_id bigint, appeal varchar,
  decided_article_id bigint, decided_comment_id bigint, decided_member_id bigint
) language sql stable rows 1 as $$
  select k.id, k.decided_id, k.article_id, coalesce(k.comment_id, case kind when 'HELD' then entry end), k.member_id,
    p.decision_id, p.text, d.article_id, d.comment_id, d.member_id
  from (select) e
    left join lateral (select * from moderation_cases where kind = 'REPORT' and id = entry limit 1) k on true
    left join lateral (select * from appeals where kind = 'APPEAL' and decision_id = entry limit 1) p on true
    left join lateral (select * from decisions where id = p.decision_id limit 1) d on true
$$;

-- The beginning of the content of a target, and its author. Of a private article, and of comments on it, nothing is shown.
create function content_of_target(article bigint, comment bigint, member bigint, length integer) returns table (
  is_shown boolean, comment_id bigint, spam_score real, excerpt text, author_id bigint, author_name varchar
) language sql stable rows 1 as $$
  select not coalesce(a.is_private, false), c.id, c.spam_score,
    left(coalesce(c.content, a.title || E'\\n' || coalesce(a.excerpt, left(a.content, length)), m.bio), length),
    m.id, coalesce(m.nickname, '(withdrawn)')
  from (select) e
    left join lateral (select * from all_comments where id = comment and deleted_at is null limit 1) c on true
    left join lateral (select * from all_articles where id = coalesce(article, c.article_id) limit 1) a on true
    left join lateral (
      select * from members where id = case when c.id is not null then c.member_id else coalesce(a.member_id, member) end limit 1
    ) m on true
$$;

-- The reports of a case that are not decided, the latest first.
create function open_reports(of_case bigint, decided bigint, shown integer, counted integer) returns table (latest json[], number integer)
language sql stable rows 1 as $$
  select
    array(
      select json_build_object('reason', r.reason, 'text', r.text, 'createdAt', r.created_at)
      from reports r where r.case_id = of_case and r.id > decided order by r.id desc limit shown
    ),
    (select count(*)::integer from (select from reports r where r.case_id = of_case and r.id > decided limit counted) r)
$$;

-- The revision of the content of a target, and 0 if there is none that moderators see.
create function content_revision(article bigint, comment bigint, member bigint) returns table (number bigint) language sql stable rows 1 as $$
  select coalesce(
    (select x.revision from all_articles x where x.id = article and not x.is_private),
    (select x.revision from comments x join all_articles y on y.id = x.article_id and not y.is_private where x.id = comment and x.deleted_at is null),
    (select x.revision from held_comments x join all_articles y on y.id = x.article_id and not y.is_private where x.id = comment),
    (select (extract(epoch from x.updated_at) * 1000)::bigint from members x where x.id = member),
    0)
$$;

-- What moderators have read of a target, and compare: the revision of its content, its last report and its last decision. It contains nothing of private
-- articles, and comments on them, but their reports. One of the three ids is not null.
create function revision_of_target(article bigint, comment bigint, member bigint) returns table (revision text) language sql stable rows 1 as $$
  select concat_ws('-', (select v.number from content_revision(article, comment, member) v),
    coalesce((
      select max(r.id) from moderation_cases k join reports r on r.case_id = k.id
      where k.article_id = article or k.comment_id = comment or k.member_id = member
    ), 0),
    coalesce(greatest(
      (select max(d.id) from decisions d where d.article_id = article),
      (select max(d.id) from decisions d where d.comment_id = comment),
      (select max(d.id) from decisions d where d.member_id = member and d.article_id is null and d.comment_id is null)
    ), 0))
$$;
`,
  ],
};
