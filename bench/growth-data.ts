/**
 * A journal of any size with rows of every kind, written by SQL with the triggers of the service. The first member, article, comment, draft and tag
 * have a share of everything, so that their lists grow with the journal; lists whose length the service limits have at most that length. In a small
 * journal a list has at least a page, so that the pages of both journals have as many rows.
 */
import type { Subjects } from '../test/support/compared-reads.js';
import { loadOnce } from './database.js';

export interface Size {
  members: number;
  articles: number;
  comments: number;
}

const SHARED = { draft: 'd'.repeat(43), article: 'a'.repeat(43) };
const IMAGE = 1;

/** What the parameters of operations refer to. */
export const SUBJECTS: Subjects['known'] = {
  article: [1],
  comment: [1],
  draft: [1],
  notification: [1],
  image: [IMAGE],
  slug: ['day-1'],
  shareToken: [SHARED.draft],
  member: [1],
  nickname: ['writer1'],
  category: [1],
  series: [1],
  tag: ['sea'],
  keyword: ['lighthouse'],
};

export function loadJournal(url: string, size: Size): Promise<void> {
  return loadOnce(url, async (client) => {
    await client.query('set local session_replication_role = origin');
    await client.query('truncate members, tags, comments, change_log restart identity cascade');
    for (const statement of statementsOf(size)) await client.query(statement);
    await client.query('truncate change_log');
    await client.query('select reset_changes()');
  });
}

/** The author of article `a`: the first member of a tenth of them. */
const author = (a: string, members: number) => `case when ${a} % 10 = 1 then 1 else 2 + ${a} % ${members - 1} end`;
const series = (count: number) => `generate_series(1, ${Math.ceil(count)}) n`;
const START = "timestamptz '2026-01-01Z'";

function statementsOf({ members, articles, comments }: Size): string[] {
  const topLevel = Math.ceil((comments * 2) / 3);
  const names = Math.ceil(articles / 10);
  const moment = (n: string, count: number) => `${START} + ${n} * (interval '300 days' / ${count})`;
  const shared = (kind: 'draft' | 'article') => `insert into share_links (token_hash, member_id, ${kind}_id, expires_at)
    values (sha256('${SHARED[kind]}'), 1, 1, now() + interval '300 days')`;
  const bounded = (share: number, most: number) => series(Math.min(Math.max(share, 20), most));
  return [
    `insert into members (email, member_name, nickname, role, email_verified_at)
     select 'member' || n || '@example.org', 'Member ' || n, 'writer' || n, case n when 1 then 'ADMIN' else 'MEMBER' end, now() from ${series(members)}`,
    "insert into categories (member_id, name, is_default) select id, 'General', true from members order by id",
    `insert into categories (member_id, name) select 1, 'Category ' || n from ${series(20)}`,
    `insert into series (member_id, title) select 1, 'Series ' || n from ${series(20)}`,
    'insert into translation_groups (member_id) values (1)',
    // It takes a lock for each article.
    'alter table all_articles disable trigger article_slug_reserved_on_insert',
    `insert into all_articles (slug, member_id, category_id, title, content, excerpt, language, translation_group_id, series_id, series_position,
       is_private, private_at, created_at, updated_at)
     select 'day-' || n, w, w, 'Day ' || n, 'What happened on day ' || n || case when n % 10 = 1 then ' at the lighthouse. ' else ' at sea. ' end
         || repeat('The fog lifts at nine, and there it is. ', 8), 'What happened', (array['ko', 'en', null])[1 + n % 3], case when n in (1, 21) then 1 end,
       s.id, case when s.id is not null then n end, p, case when p then now() end, ${moment('n', articles)}, ${moment('n', articles)}
     from ${series(articles)} cross join lateral (select ${author('n', members)} as w, n % 40 in (11, 12) as p) x
       cross join lateral (select case when w = 1 and n <= 500 then 1 end as id) s`,
    'insert into article_slugs (slug, article_id) select slug, id from articles',
    'set constraints all immediate',
    'alter table all_articles enable trigger article_slug_reserved_on_insert',
    'set constraints all deferred',
    `insert into tags (name) select case n when 1 then 'sea' else 'tag' || n end from ${series(names + 1)}`,
    `insert into all_article_tags (article_id, position, tag_id, created_at, is_private)
     select id, p, case p when 0 then 1 else 2 + id % ${names} end, created_at, is_private
     from all_articles cross join generate_series(0, 1) p where p = 1 or id % 10 < 2`,
    'update article_counts set views = article_id * 7919 % 1009',
    `insert into article_view_days select article_id, current_date - (article_id % 30)::integer, 1 + article_id % 7 from article_counts where views > 0`,
    `insert into article_view_days select 1, current_date - n, n from ${series(29)} on conflict do nothing`,
    `insert into reactions (article_id, kind, member_id, created_at)
     select n, 'LIKE', 1 + (n * 31 + k * 7) % ${members}, now() - n % 40 * interval '1 day' from ${series(articles)} cross join generate_series(1, 3) k
     union select 1, 'LIKE', 1 + n, now() - n % 40 * interval '1 day' from ${series(members / 10)} on conflict do nothing`,
    `insert into bookmarks (member_id, article_id, created_at)
     select 1, id, created_at from (select * from all_articles where id % 20 = 2 order by id limit 10000) a
     union select 1 + n, 1, now() from ${series(members / 10)}`,
    `insert into follows (follower_id, member_id) select 1, 1 + n from ${bounded(members / 20, 5000)}
     union select 1 + n, 1 from ${series(members / 10)}`,
    `insert into blocks (member_id, blocked_id) select 1, ${members + 1} - n from ${bounded(members / 100, 1000)}`,
    `insert into comments (article_id, member_id, content, is_hidden, created_at, updated_at)
     select case when n % 10 = 1 then 1 else 2 + n * 7 % ${articles - 1} end, case when n % 10 = 2 then 1 else 1 + n % ${members} end,
       'An owl is in the attic: ' || n, n % 1000 in (11, 21), ${moment('n', topLevel)}, ${moment('n', topLevel)} from ${series(topLevel)}`,
    `insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
     select p.article_id, p.id, 1 + n * 3 % ${members}, 'Two owls: ' || n, p.created_at + interval '1 hour', p.created_at + interval '1 hour'
     from ${series(comments - topLevel)} join comments p on p.id = case when n <= 100 or n % 100 = 0 then 1 else 1 + n * 2 % ${topLevel} end`,
    `insert into held_comments (id, article_id, member_id, content, received_by)
     select nextval(pg_get_serial_sequence('comments', 'id')), 1, 2 + n % ${members - 1}, 'Is it an owl? ' || n, 1 from ${series(comments / 1000)}`,
    `insert into notifications (member_id, type, article_id, comment_id, actor_id, read_at, created_at)
     select 1, 'COMMENT', article_id, id, member_id, case when id % 2 = 0 then now() end, created_at
     from comments where received_by = 1 and member_id is not null order by id limit ${comments / 100}`,
    `insert into drafts (member_id, title, content, publish_at)
     select 1, 'Draft ' || n, repeat('The fog lifts at nine. ', 20), case when n % 5 = 0 then now() + interval '200 days' end from ${bounded(articles / 50, 200)}
     union all select 1 + n % ${members}, 'Draft', 'Fog', null from ${series(names)} where n % ${members} > 0`,
    `insert into draft_revisions (draft_id, number, title, content, tags, created_at) select 1, n, 'Draft', 'Fog ' || n, '{}', now() from ${series(20)}`,
    `insert into article_revisions (article_id, number, title, content, tags, created_at) select 1, n, 'Day 1', 'Fog ' || n, '{}', now() from ${series(20)}`,
    `insert into images (member_id, key, width, height, bytes, unreferenced_at) select 1, md5(n::text), 800, 600, 90000, null from ${bounded(articles / 100, 1000)}`,
    shared('draft'),
    shared('article'),
    `insert into security_events (member_id, kind, address, device) select 1, 'LOGIN', '192.0.2.1', 'bench' from ${bounded(articles / 100, 1000)}
     union all select id, 'LOGIN', '192.0.2.1', 'bench' from members`,
    `insert into custom_styles (member_id, name, role, instruction) select 1, 'Style ' || n, 'An owl', 'Be brief.' from ${series(5)}`,
    "update all_articles set ai_summary = 'An owl.' where id = 1",
    "insert into article_summaries (article_id, status, tags) values (1, 'COMPLETED', '{owls}')",
    `insert into moderation_cases (comment_id, opened_at) select id, created_at from comments where id % 100 = 5`,
    `insert into moderation_cases (article_id, opened_at) select id, created_at from articles where id % 100 = 1`,
    `insert into reports (case_id, reporter_id, reason, text) select id, 1 + id % ${members}, 'SPAM', 'An owl' from moderation_cases`,
    `insert into decisions (member_id, moderator_id, action, rule, statement, note, created_at)
     select case when n % 10 = 1 then 1 else 1 + n % ${members} end, 1, 'SUSPEND', 'Owls', 'An owl', '', ${moment('n', comments)} from ${series(comments / 100)}`,
    "insert into appeals (decision_id, text) select id, 'No owl' from decisions where id % 20 = 1",
    `insert into webhooks (url, events, secret, is_enabled, cursor, position) select 'https://example.org/' || n, '{changes}', '\\x00', false, '', 0 from ${series(5)}`,
    `insert into webhook_attempts (webhook_id, message_id, event, cursor, attempted_at, status, duration_ms, response)
     select 1 + n % 5, 'm' || n, 'changes', '', now(), 200, 9, '' from ${series(1000)}`,
  ];
}
