/** The rows of the benchmark: comments with final values for COPY, the SQL of the other tables, and a query for defects. */

/** Substrings of this text contain characters of one, two and three bytes, and characters that JSON escapes. */
const WORDS = [
  'I read this on the train this morning and it stayed with me all day. "Small steps" is exactly right.\n',
  '오늘 글도 잘 읽었습니다. 저도 비슷한 경험이 있어서 더 공감이 되네요. 다음 글도 기다리겠습니다! ',
  'Could you say more about the second part? I tried it at home — it worked, but not at work. ',
  '사진이 정말 예쁘네요, 어디에서 찍으셨는지 궁금합니다. 주말에 가족과 함께 가 보고 싶어요. ',
  'Thanks for writing it down; café owners everywhere will agree with you, naïve or not. ',
  '비 오는 날에는 역시 따뜻한 차 한 잔이 최고입니다. 좋은 하루 보내세요 :) ',
]
  .join('')
  .repeat(2);

export interface Size {
  members: number;
  articles: number;
  topLevel: number;
  replies: number;
}

/** Counts rows by id, from 1. */
class CountById {
  readonly #counts: Int32Array;

  constructor(maxId: number) {
    this.#counts = new Int32Array(maxId + 1);
  }

  add(id: number): void {
    this.#counts[id] = (this.#counts[id] ?? 0) + 1;
  }

  /** In the order of the ids. */
  toArray(): number[] {
    return [...this.#counts.subarray(1)];
  }
}

/** Counters of all rows produced so far. Triggers maintain them in production. */
export class Counters {
  readonly articleComments: CountById;
  readonly articleTopLevel: CountById;
  readonly memberComments: CountById;
  readonly memberReceived: CountById;

  constructor({ articles, members }: Size) {
    this.articleComments = new CountById(articles);
    this.articleTopLevel = new CountById(articles);
    this.memberComments = new CountById(members);
    this.memberReceived = new CountById(members);
  }
}

export const COMMENT_COLUMNS =
  'id, article_id, parent_id, member_id, content, reply_count, created_at, updated_at, deleted_at, received_by';

const FIRST_MOMENT = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const PERIOD_MS = 300 * DAY_MS;

/**
 * The lines of all comments in COPY's text format, in chunks of about 64 KiB: first the top-level comments in chronological order over all
 * articles, as in production (the rows of a page are far apart in the table), then the replies. Article 1 gets a tenth of them; some
 * comments have no author or are deleted; every second top-level comment has one reply.
 */
export function* commentLines(size: Size, counters: Counters): Generator<string> {
  const { topLevel, replies } = size;
  let chunk = '';
  for (let id = 1; id <= topLevel + replies; id++) {
    chunk += id <= topLevel ? topLevelLine(id, size, counters) : replyLine(id, size, counters);
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function topLevelLine(id: number, size: Size, counters: Counters): string {
  const article = articleOf(id, size);
  const isDeleted = id % 802 === 1;
  const author = isDeleted || id % 101 === 7 ? 0 : memberAt(id, size);
  const moment = momentOf(id, size);
  const created = timestamp(moment);
  const replyCount = id % 2 === 1 && id < 2 * size.replies ? 1 : 0;
  const receiver = isDeleted ? 0 : count(article, author, size, counters);
  counters.articleTopLevel.add(article);
  const deleted = isDeleted ? timestamp(moment + DAY_MS) : '\\N';
  return `${id}\t${article}\t\\N\t${orNull(author)}\t${isDeleted ? '' : contentOf(id)}\t${replyCount}\t${created}\t${created}\t${deleted}\t${orNull(receiver)}\n`;
}

function replyLine(id: number, size: Size, counters: Counters): string {
  const parent = 2 * (id - size.topLevel) - 1;
  const article = articleOf(parent, size);
  const author = memberAt(id, size);
  const created = timestamp(momentOf(parent, size) + Math.floor(random(id, 3) * DAY_MS));
  const receiver = count(article, author, size, counters);
  return `${id}\t${article}\t${parent}\t${author}\t${contentOf(id)}\t0\t${created}\t${created}\t\\N\t${orNull(receiver)}\n`;
}

/** Counts a comment that is not deleted. @returns the article's author, if another member wrote the comment; otherwise 0 */
function count(article: number, author: number, { members }: Size, counters: Counters): number {
  const receiver = articleAuthor(article, members);
  counters.articleComments.add(article);
  if (author > 0) counters.memberComments.add(author);
  if (receiver === author) return 0;
  counters.memberReceived.add(receiver);
  return receiver;
}

function articleAuthor(article: number, members: number): number {
  return 1 + (article % members);
}

function articleOf(topLevelId: number, { articles }: Size): number {
  return Math.floor(topLevelId / 2) % 10 === 0 ? 1 : 2 + Math.floor(random(topLevelId, 0) * (articles - 1));
}

function memberAt(id: number, { members }: Size): number {
  return 1 + Math.floor(random(id, 1) * members);
}

function momentOf(topLevelId: number, { topLevel }: Size): number {
  return FIRST_MOMENT + Math.floor((topLevelId * PERIOD_MS) / topLevel);
}

function contentOf(id: number): string {
  const start = Math.floor(random(id, 2) * 400);
  return WORDS.slice(start, start + 40 + Math.floor(random(id, 4) * 161)).replaceAll('\n', '\\n');
}

function timestamp(moment: number): string {
  return new Date(moment).toISOString();
}

/** A number from 0 up to 1 that depends only on the row and the column (finalizer of MurmurHash3). */
function random(id: number, column: number): number {
  let mixed = Math.imul(id * 8 + column, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296;
}

function orNull(id: number): string {
  return id === 0 ? '\\N' : String(id);
}

export const MEMBERS = `
insert into members (email, member_name, nickname)
select 'member' || n || '@example.com', 'Member ' || n, case n % 2 when 0 then '글쓴이' else 'writer' end || n
from generate_series(1, $1::int) n`;

export const CATEGORIES = `
insert into categories (member_id, name, is_default) select id, 'Journal', true from members order by id`;

/** Parameters: comments of each article, top-level comments of each article, number of members. */
export const ARTICLES = `
insert into articles (slug, member_id, category_id, title, content, comment_count, top_level_count)
select gen_random_uuid(), c.member_id, c.id, 'Day ' || a.n, repeat('What happened on day ' || a.n || '. ', 40), a.comments, a.places
from unnest($1::int[], $2::int[]) with ordinality a (comments, places, n) join categories c on c.member_id = 1 + a.n % $3::int
order by a.n`;

/** Parameters: comments by each member, comments received by each member. */
export const MEMBER_COUNTS = `
insert into member_counts (member_id, articles, comments, received)
select c.n, coalesce(a.count, 0), c.comments, c.received
from unnest($1::int[], $2::int[]) with ordinality c (comments, received, n)
left join (select member_id, count(*) from articles group by 1) a on a.member_id = c.n`;

export const ARTICLE_TOTALS = 'insert into article_totals select 0, count(*) from articles';

/** Parameter: number of comments. */
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
select 'receivers' where exists (
  select from comments c join articles a on a.id = c.article_id
  where c.received_by is distinct from case when c.deleted_at is null then nullif(a.member_id, c.member_id) end)
union all
select 'counters of articles' where exists (
  select from articles a left join (
    select article_id, count(*) filter (where deleted_at is null) as live, count(*) filter (where parent_id is null) as places
    from comments group by 1) n on n.article_id = a.id
  where (a.comment_count, a.top_level_count) is distinct from (coalesce(n.live, 0), coalesce(n.places, 0)))
union all
select 'counters of members' where exists (
  select from member_counts m
  left join (select member_id, count(*) from comments group by 1) w on w.member_id = m.member_id
  left join (select received_by, count(*) from comments group by 1) r on r.received_by = m.member_id
  where (m.comments, m.received) is distinct from (coalesce(w.count, 0), coalesce(r.count, 0)))`;
