/** SQL statements that generate the benchmark rows in PostgreSQL, and one that lists their defects. */

/** Substrings of this text contain characters of one, two and three bytes, and characters that JSON escapes. */
export const WORDS = [
  'I read this on the train this morning and it stayed with me all day. "Small steps" is exactly right.\n',
  '오늘 글도 잘 읽었습니다. 저도 비슷한 경험이 있어서 더 공감이 되네요. 다음 글도 기다리겠습니다! ',
  'Could you say more about the second part? I tried it at home — it worked, but not at work. ',
  '사진이 정말 예쁘네요, 어디에서 찍으셨는지 궁금합니다. 주말에 가족과 함께 가 보고 싶어요. ',
  'Thanks for writing it down; café owners everywhere will agree with you, naïve or not. ',
  '비 오는 날에는 역시 따뜻한 차 한 잔이 최고입니다. 좋은 하루 보내세요 :) ',
]
  .join('')
  .repeat(2);

export const MEMBERS = `
insert into members (email, member_name, nickname)
select 'member' || n || '@example.com', 'Member ' || n, case n % 2 when 0 then '글쓴이' else 'writer' end || n
from generate_series(1, $1::int) n`;

export const CATEGORIES = `
insert into categories (member_id, name, is_default) select id, 'Journal', true from members order by id`;

export const ARTICLES = `
insert into articles (member_id, category_id, title, content)
select c.member_id, c.id, 'Day ' || n, repeat('What happened on day ' || n || '. ', 40)
from generate_series(1, $1::int) n join categories c on c.member_id = 1 + n % $2::int
order by n`;

// Inserted in chronological order over all articles, as in production: the rows of a page are far apart in the table.
// Article 1 gets two of every twenty; some comments have no author or are deleted. Odd ones get a reply.
export const TOP_LEVEL = `
insert into comments (article_id, member_id, content, reply_count, created_at, updated_at, deleted_at)
select case when n / 2 % 10 = 0 then 1 else 2 + floor(random() * ($3::int - 1))::int end,
       case when n % 802 <> 1 and n % 101 <> 7 then 1 + floor(random() * $4::int)::int end,
       case when n % 802 <> 1 then substr($5, 1 + floor(random() * 400)::int, 40 + floor(random() * 161)::int) else '' end,
       (n % 2 = 1 and n < 2 * $2::int)::int, at, at, case when n % 802 = 1 then at + interval '1 day' end
from generate_series(1, $1::int) n,
     lateral (select timestamptz '2026-01-01Z' + n * (interval '300 days' / $1::int) as at) made`;

// The table was empty, so the id of a parent equals its number.
export const REPLIES = `
insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
select p.article_id, p.id, 1 + floor(random() * $2::int)::int,
       substr($3, 1 + floor(random() * 400)::int, 40 + floor(random() * 161)::int), at, at
from generate_series(1, $1::int) n
join comments p on p.id = 2 * n - 1,
     lateral (select p.created_at + random() * interval '1 day' as at) made
order by n`;

export const COUNTS = `
update articles a set comment_count = n.live, top_level_count = n.places
from (select article_id, count(*) filter (where deleted_at is null) as live,
             count(*) filter (where parent_id is null) as places
      from comments group by 1) n
where a.id = n.article_id`;

/** Columns and counts that triggers maintain for lists. */
export const LIST_COUNTS = `
update comments c set received_by = nullif(a.member_id, c.member_id)
from articles a where a.id = c.article_id and c.deleted_at is null;
insert into member_counts (member_id, articles, comments, received)
select m.id, coalesce(a.count, 0), coalesce(w.count, 0), coalesce(r.count, 0) from members m
left join (select member_id, count(*) from articles group by 1) a on a.member_id = m.id
left join (select member_id, count(*) from comments group by 1) w on w.member_id = m.id
left join (select received_by, count(*) from comments group by 1) r on r.received_by = m.id;
insert into article_totals select 0, count(*) from articles`;

export const PROBLEMS = `
select 'number of comments' as problem where (select count(*) from comments) <> $1::int
union all
select 'hot article' where (select count(*) from comments where article_id = 1) not between $1 * 0.099 and $1 * 0.101
union all
select 'replies' where exists (
  select from comments p left join comments r on r.parent_id = p.id and r.article_id = p.article_id
  where p.parent_id is null group by p.id having count(r.id) <> p.reply_count)
union all
select 'authors' where exists (select from comments c where member_id not in (select id from members))
union all
select 'articles' where (select sum(top_level_count) from articles)
  <> (select count(*) from comments c join articles a on a.id = c.article_id where c.parent_id is null)`;
