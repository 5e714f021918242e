/** The JSON files of a member's archive: one for each kind of personal data. */
import { readableBy } from '../models/article/article.js';
import { metadataSql, REVISED_NAMES, revisedJson } from '../models/article/metadata.js';
import { IS_NOTIFIED } from '../models/decision/decision.js';
import { suspensionOf } from '../models/moderation/suspension.js';
import { notificationSource } from '../models/notification/notification.js';
import { REACTIONS, SELECTED_COUNTS } from '../models/reaction-kinds.js';
import { type Statement, statement } from '../platform/database/statement.js';

export interface MemberFile {
  name: string;
  /** Description for README.txt in the archive. */
  about: string;
  /** The columns that reference the member, as `table.column`. */
  covers: readonly string[];
  /** Parameters: the member's id; for pages also those of the function with this name in snapshot.ts. A column `image` holds an image key. */
  rows: Statement<readonly unknown[], Record<string, unknown>>;
  /** `one`: a single row. `all`: a short list in one query. For lists of any length, keyset pagination: by `id`, by `createdAt` and `id`, or by `articleId` and `number`. */
  holds: 'one' | 'all' | 'pages' | 'pagesByTime' | 'pagesByNumber';
  /** Page size, and so the number of rows in memory. */
  pageRows: number;
}

/** Default page size. Articles have a smaller one, since each may have 100,000 characters. */
const PAGE_ROWS = 1_000;

const DATES = 'created_at as "createdAt", updated_at as "updatedAt"';

export const MEMBER_FILES: readonly MemberFile[] = [
  fileOf(
    'one',
    'profile.json',
    'Your account: email, names, bio, language, image, role, suspension, and whether it has a password. Passwords are not included.',
    {
      covers: ['members.id'],
      sql: `select id, email, email_verified_at as "emailVerifiedAt", member_name as "memberName", nickname, bio, language, profile_image as image,
            password_hash is not null as "hasPassword", role, ${suspensionOf('members')} as suspension, ${DATES} from members where id = $1`,
    },
  ),
  fileOf(
    'pagesByTime',
    'articles.json',
    'Your articles, public, private and removed by a moderator (removedAt), with their categories, tags and summaries. Translations of each other have the same translationKey.',
    {
      covers: ['all_articles.member_id', 'translation_groups.member_id'],
      sql: `select a.id, a.key, a.title, a.slug, ${metadataSql('a')}, a.content, case when a.is_private then 'PRIVATE' else 'PUBLIC' end as visibility, k.name as category, a.image, a.image_alt as "imageAlt", a.revision,
            a.ai_summary as "aiSummary", s.status as "summaryStatus", s.tags as "summaryTags",
            array(select t.name from all_article_tags x join tags t on t.id = x.tag_id
                  where x.article_id = a.id order by x.position)::text[] as tags,
            (select g.key from translation_groups g where g.id = a.translation_group_id) as "translationKey",
            a.removed_at as "removedAt", a.created_at as "publishedAt", a.created_at as "createdAt", a.updated_at as "updatedAt"
          from all_articles a join categories k on k.id = a.category_id
            left join article_summaries s on s.article_id = a.id
          where a.member_id = $1 and (a.created_at, a.id) > ($2, $3) order by a.created_at, a.id limit $4`,
      pageRows: 10,
    },
  ),
  fileOf('pagesByNumber', 'article-revisions.json', 'Earlier states of your articles that are kept.', {
    covers: [],
    sql: `select a.id as "articleId", r.number, r.title, ${metadataSql('r', REVISED_NAMES)}, r.content, r.tags, r.created_at as "createdAt"
          from (select id from all_articles where member_id = $1 and id >= $2 order by id) a cross join lateral (
            select * from article_revisions where article_id = a.id and (a.id > $2 or number > $3) order by number limit $4
          ) r order by a.id, r.number limit $4`,
    pageRows: 10,
  }),
  fileOf(
    'pagesByTime',
    'statistics.json',
    'The numbers of views and likes of your articles, with the views of each day in UTC.',
    {
      covers: [],
      sql: `select a.id, a.title, coalesce(r.views, 0) as "viewCount", ${SELECTED_COUNTS},
            (select count(*) from bookmarks where article_id = a.id) as "bookmarkCount", a.comment_count as "commentCount",
            (select coalesce(json_agg(json_build_object('date', d.day, 'count', d.views) order by d.day), '[]')
             from article_view_days d where d.article_id = a.id) as views, a.created_at as "createdAt"
          from all_articles a left join article_counts r on r.article_id = a.id
          where a.member_id = $1 and (a.created_at, a.id) > ($2, $3) order by a.created_at, a.id limit $4`,
      // An article can have some thousand days.
      pageRows: 50,
    },
  ),
  fileOf('pages', 'drafts.json', 'Your drafts with their earlier states.', {
    covers: ['drafts.member_id'],
    sql: `select d.id, d.key, d.article_id as "articleId", d.base_revision as "baseRevision", d.title, ${metadataSql('d')}, d.content, k.name as category, d.tags, d.slug,
            d.is_private as private, i.key as image, d.image_alt as "imageAlt", d.removes_image as "removesImage", d.published_at as "publishedAt", d.publish_at as "publishAt",
            case when d.leaves_translations then 0 else d.translation_of end as "translationOf",
            d.publication_error as "publicationError", d.revision,
            (select coalesce(json_agg(json_build_object('number', r.number, 'title', r.title, ${revisedJson('r')}, 'content', r.content, 'tags', r.tags,
               'createdAt', r.created_at) order by r.number), '[]') from draft_revisions r where r.draft_id = d.id) as revisions,
            d.created_at as "createdAt", d.updated_at as "updatedAt"
          from drafts d left join categories k on k.id = d.category_id left join images i on i.id = d.image_id
          where d.member_id = $1 and d.id > $2 order by d.id limit $3`,
    // A draft has up to 20 earlier states.
    pageRows: 1,
  }),
  fileOf(
    'pagesByTime',
    'comments.json',
    'Your comments and replies, also those that wait for approval (held) or were removed by a moderator (removedAt), and their articles. Deleted comments and titles of private articles of others are not included.',
    {
      covers: ['comments.member_id', 'held_comments.member_id'],
      sql: `select c.id, c.article_id as "articleId", case when ${readableBy('reader_of($1)')} then a.title end as "articleTitle", c.parent_id as "parentId", c.content,
            c.is_hidden as hidden, c.held_at is not null as held, c.removed_at as "removedAt", c.created_at as "createdAt", c.updated_at as "updatedAt"
          from all_comments c join all_articles a on a.id = c.article_id
          where c.member_id = $1 and (c.created_at, c.id) > ($2, $3) order by c.created_at, c.id limit $4`,
    },
  ),
  ...REACTIONS.map(({ kind, name }) =>
    fileOf(
      'pagesByTime',
      `${name}s.json`,
      `The ids and titles of the articles that you ${name}. Titles of private articles of others are not included.`,
      { covers: ['reactions.member_id'], sql: articlesIn('reactions', `x.kind = '${kind}' and`) },
    ),
  ),
  fileOf(
    'pagesByTime',
    'bookmarks.json',
    'The ids and titles of the articles in your bookmarks. Titles of private articles of others are not included.',
    { covers: ['bookmarks.member_id'], sql: articlesIn('bookmarks') },
  ),
  fileOf('pagesByTime', 'following.json', 'The ids and display names of the members that you follow.', {
    covers: ['follows.follower_id'],
    sql: `select f.member_id as id, m.nickname, f.created_at as "createdAt"
          from follows f join members m on m.id = f.member_id
          where f.follower_id = $1 and (f.created_at, f.member_id) > ($2, $3) order by f.created_at, f.member_id limit $4`,
  }),
  fileOf('all', 'blocks.json', 'The ids and display names of the members that you block.', {
    covers: ['blocks.member_id'],
    sql: `select b.blocked_id as id, m.nickname, b.created_at as "createdAt"
          from blocks b join members m on m.id = b.blocked_id where b.member_id = $1 order by b.created_at, b.blocked_id`,
  }),
  fileOf('pages', 'reports.json', 'What you reported to the moderators, and why.', {
    covers: ['reports.reporter_id'],
    sql: `select r.id, k.article_id as "articleId", k.comment_id as "commentId", k.member_id as "memberId", r.reason, r.text,
            r.created_at as "createdAt"
          from reports r join moderation_cases k on k.id = r.case_id where r.reporter_id = $1 and r.id > $2 order by r.id limit $3`,
  }),
  fileOf('pages', 'decisions.json', 'Decisions of moderators that concern you, and your appeals.', {
    covers: ['decisions.member_id'],
    sql: `select d.id, d.action, d.article_id as "articleId", d.comment_id as "commentId", d.appeal_of as "appealOf", d.until, d.rule,
            d.statement, d.created_at as "createdAt", a.text as appeal, a.created_at as "appealedAt"
          from decisions d left join appeals a on a.decision_id = d.id
          where d.member_id = $1 and ${IS_NOTIFIED} and d.id > $2 order by d.id limit $3`,
  }),
  fileOf('all', 'categories.json', 'Your categories.', {
    covers: ['categories.member_id'],
    sql: 'select id, name, is_default as "isDefault" from categories where member_id = $1 order by id',
  }),
  fileOf('all', 'series.json', 'Your series, with the ids of their articles in order.', {
    covers: ['series.member_id'],
    sql: `select id, title, description,
            array_to_json(array(select a.id from all_articles a where a.series_id = s.id order by a.series_position, a.id)) as "articleIds", ${DATES}
          from series s where member_id = $1 order by id`,
  }),
  fileOf('pages', 'notifications.json', 'Your notifications, and when you read them.', {
    covers: ['notifications.member_id'],
    sql: `select n.id, n.type, n.article_id as "articleId", case when n.draft_id is null then s.title end as "articleTitle",
            n.draft_id as "draftId", case when n.draft_id is not null then s.title end as "draftTitle", n.comment_id as "commentId", (s.decision->>'id')::bigint as "decisionId",
            m.nickname as actor, n.outcome, n.read_at as "readAt", n.created_at as "createdAt"
          from ${notificationSource('reader_of($1)')}
          where n.member_id = $1 and n.id > $2 order by n.id limit $3`,
  }),
  fileOf('all', 'notification-settings.json', 'Notification settings that you changed. All others are as at first.', {
    covers: ['notification_settings.member_id'],
    sql: 'select type, enabled, email from notification_settings where member_id = $1 order by type',
  }),
  fileOf('pages', 'images.json', 'The images that you uploaded for the content of articles.', {
    covers: ['images.member_id'],
    sql: `select id, key as image, width, height, created_at as "createdAt",
            (select coalesce(json_agg(r.article_id order by r.article_id), '[]')
             from article_images r join all_articles a on a.id = r.article_id
             where r.image_id = images.id and ${readableBy('reader_of($1)')}) as "articleIds"
          from images where member_id = $1 and id > $2 order by id limit $3`,
  }),
  fileOf('all', 'custom-styles.json', 'Your custom writing styles.', {
    covers: ['custom_styles.member_id'],
    sql: `select id, name, role, instruction, ${DATES} from custom_styles where member_id = $1 order by id`,
  }),
  fileOf('all', 'sessions.json', 'Your sessions: device, network address and times.', {
    covers: ['sessions.member_id'],
    sql: `select device, address, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
          from sessions where member_id = $1 order by created_at, id`,
  }),
  fileOf('all', 'api-tokens.json', 'Your API tokens: names, scopes and times. The tokens are not included.', {
    covers: ['api_tokens.member_id'],
    sql: `select name, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
          from api_tokens where member_id = $1 order by created_at, id`,
  }),
  fileOf(
    'pages',
    'security-events.json',
    'Logins, including failed ones, and changes of your account in the last 180 days.',
    {
      covers: ['security_events.member_id'],
      sql: `select id, kind, provider, device, address, created_at as "createdAt"
          from security_events where member_id = $1 and id > $2 order by id limit $3`,
    },
  ),
  fileOf(
    'all',
    'social-links.json',
    'Accounts at login providers that are linked to your account, with their IDs at the providers.',
    {
      covers: ['social_links.member_id'],
      sql: `select provider, subject, email, created_at as "createdAt" from social_links where member_id = $1 order by id`,
    },
  ),
  fileOf('all', 'links.json', 'Unused links for your password and email address, without their secrets.', {
    covers: ['one_time_tokens.member_id'],
    sql: `select purpose, email, created_at as "createdAt", expires_at as "expiresAt"
          from one_time_tokens where member_id = $1 order by id`,
  }),
  fileOf(
    'all',
    'share-links.json',
    'Links with which others can read your drafts and articles, without their secrets.',
    {
      covers: ['share_links.member_id'],
      sql: `select draft_id as "draftId", article_id as "articleId", created_at as "createdAt", expires_at as "expiresAt"
          from share_links where member_id = $1 order by created_at, draft_id, article_id`,
    },
  ),
  fileOf('all', 'passkeys.json', 'Your passkeys: names, dates, and how their authenticators can be reached.', {
    covers: ['passkeys.member_id'],
    sql: `select name, transports, is_backed_up as "backedUp", created_at as "createdAt", last_used_at as "lastUsedAt"
          from passkeys where member_id = $1 order by id`,
  }),
  fileOf('all', 'imported.json', 'If your account was imported: the source blog, and your key in it.', {
    covers: [],
    sql: `select source, key from imported_records where kind = 'member' and row_id = $1 order by source, key`,
  }),
];

/** Columns that reference a member and are not exported, each with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'member_counts.member_id': 'It counts records that are in the archive.',
  'reader_counts.member_id': 'It counts bookmarks and followed members, which are in the archive.',
  'follows.member_id': 'It marks follows by other members, which are their data; profiles show their number.',
  'article_mentions.member_id':
    'It marks articles of other members that mention the member, who has notifications about them.',
  'comment_mentions.member_id':
    'It marks comments of other members that mention the member, who has notifications about them.',
  'blocks.blocked_id': 'It marks blocks by other members, which are their data.',
  'draft_counts.member_id': 'It counts drafts, which are in the archive, and the bytes of their texts.',
  'member_months.member_id': 'It counts articles, which are in the archive, by month.',
  'article_counts.member_id': 'It repeats the author of the article, which is in the archive.',
  'article_trends.member_id': 'It repeats the author of the article, which is in the archive.',
  'member_tags.member_id': 'It counts articles, which are in the archive, by their tags.',
  'notification_counts.member_id':
    'It counts notifications, which are in the archive, and records which of them were in an email.',
  'article_search.member_id': 'It is derived from the articles, which are in the archive.',
  'private_article_search.member_id': 'It is derived from the articles, which are in the archive.',
  'article_summaries.member_id': 'It repeats the author of the article, which is in the archive.',
  'idempotency_keys.member_id':
    'It repeats responses to changes of the last 24 hours, whose records are in the archive.',
  'mails.member_id': 'It holds emails until they are sent, about what is in the archive.',
  'moderation_cases.member_id': 'It marks what others have reported, which are their data.',
  'decisions.moderator_id': 'It marks decisions that concern other members, which are their data.',
  'spam_labels.member_id':
    'It holds comments until the spam score has learned from the decision on them: they are in the archive or deleted.',
  'spam_labels.decided_by': 'It holds comments of others until the spam score has learned from the decision.',
  'spam_deciders.member_id': 'It counts decisions on comments of others.',
  'comments.received_by': 'It marks comments of other members, which are their data.',
  'held_comments.received_by': 'It marks comments of other members, which are their data.',
  'notifications.actor_id':
    "It marks notifications of other members about the member's comments and follows, which are in the archive.",
};

/** The articles that a table of the member's reactions refers to. */
function articlesIn(table: 'reactions' | 'bookmarks', condition = ''): string {
  return `select x.article_id as id, case when ${readableBy('reader_of($1)')} then a.title end as title, x.created_at as "createdAt"
          from ${table} x join all_articles a on a.id = x.article_id
          where ${condition} x.member_id = $1 and (x.created_at, x.article_id) > ($2, $3) order by x.created_at, x.article_id limit $4`;
}

function fileOf(
  holds: MemberFile['holds'],
  name: string,
  about: string,
  { covers, sql, pageRows = PAGE_ROWS }: { covers: readonly string[]; sql: string; pageRows?: number },
): MemberFile {
  return { name, about, covers, rows: statement(`export_${name}`, sql), holds, pageRows };
}
