/** Statements with more lines than a person reads as a whole: each has a reason here, and may not become longer. */
import { type Entry, nameOf } from './entry.js';

const MAX_LINES = 60;

/** With their numbers of formatted lines, at most. */
const LONG: readonly { reason: string; lines: Readonly<Record<string, number>> }[] = [
  {
    reason: 'A write of several tables that is composed of fragments; a command in steps replaces it.',
    lines: {
      'import/series: import_add_to_series': 72,
      'models/comment/comment: lock_comment': 73,
      'models/comment/comment: lock_held_comment': 92,
      'models/comment/create: insert_comment': 66,
      'models/comment/held: show_held_comment': 80,
      'models/decision/decision: add_decision': 98,
      'models/decision/report: open_moderation_case': 97,
      'models/draft/save: changed draft': 139,
      'models/draft/save: new draft': 71,
      'models/follow: follow_member': 80,
      'models/notification/create: notify_of_mentions': 112,
      'models/notification/create: notify_of_publication': 67,
      'models/notification/notification: set_notification': 71,
      'models/reaction: like_article': 98,
      'models/session/session: lock_login': 79,
    },
  },
  {
    reason: 'A step of a job, in one statement that chooses, locks and changes its rows.',
    lines: {
      'models/article/revision: thin_revisions': 62,
      'models/article/trend: refresh_trends': 246,
      'models/member/removal: anonymize_comments_of_withdrawn': 83,
      'models/member/removal: remove_images_of_withdrawn': 64,
      'models/notification/announcement: mail_followers': 67,
      'models/notification/create: notify_of_summary': 65,
      'models/notification/mail: take_digests': 78,
      'models/webhook/delivery: claim_due_webhooks': 79,
      'models/webhook/delivery: move_cursor_of_webhook': 71,
      'models/webhook/delivery: store_webhook_message': 70,
      'models/webhook/delivery: webhook_message_delivered': 73,
    },
  },
  {
    reason: 'A read that is composed of fragments; functions and views of the database replace them.',
    lines: {
      'export/member-files: export_drafts.json': 66,
      'models/article/article: removed_articles_by_id': 87,
      'models/article/list: articles of several members': 88,
      'models/article/list: connection of a language of a member': 79,
      'models/article/list: connection of own private articles by likes': 78,
      'models/article/list: connection of public articles': 78,
      'models/article/list: page by tag and likes of a large journal': 134,
      'models/article/list: page by tag and likes': 141,
      'models/article/list: page by tag and time': 118,
      'models/article/list: page by time and likes': 132,
      'models/article/list: page of a category by likes in a period': 107,
      'models/article/list: page of a language': 100,
      'models/article/list: page of own articles': 105,
      'models/article/list: page of public articles': 94,
      'models/article/related: related articles': 193,
      'models/article/search: words with several spellings': 530,
      'models/article/search: best match first': 495,
      'models/article/search: own articles by time': 160,
      'models/change: read_changes': 120,
      'models/comment/list: heldFor, connection of several': 83,
      'models/comment/list: heldFor, page': 103,
      'models/comment/list: hiddenOn, connection of several': 67,
      'models/comment/list: hiddenOn, page': 80,
      'models/comment/list: hiddenOn, page for a moderator': 133,
      'models/comment/list: ofArticle, page': 61,
      'models/comment/list: ofArticle, page for a moderator': 112,
      'models/comment/list: ofArticleOldestFirst, page': 61,
      'models/comment/list: receivedBy, connection of several': 91,
      'models/comment/list: receivedBy, page': 121,
      'models/comment/list: receivedOnPublic, connection of several': 100,
      'models/comment/list: receivedOnPublic, page': 140,
      'models/comment/list: repliesTo, connection of several': 62,
      'models/comment/list: repliesTo, page': 66,
      'models/comment/list: repliesTo, page for a moderator': 119,
      'models/comment/list: shownBy, connection of several': 91,
      'models/comment/list: shownBy, page': 121,
      'models/comment/list: writtenBy, connection of several': 99,
      'models/comment/list: writtenBy, page': 136,
      'models/comment/page: comment_page_replies_names_details': 102,
      'models/comment/page: comment_page_replies_names_details_anonymous': 102,
      'models/comment/page: comment_page_replies_names_details_asc': 102,
      'models/comment/page: comment_page_replies_names_details_moderator': 146,
      'models/comment/position: comment_positions_moderator': 73,
      'models/decision/queue: moderation_queue': 98,
      'models/draft/draft: draft_page': 87,
      'models/draft/save: comparison of a draft': 87,
      'models/member/administration: administered_members': 70,
      'models/mention: find_mentions': 93,
      'models/notification/list: all of a member': 98,
      'models/notification/list: unread ones without private articles and drafts': 120,
      'models/series: a series with its articles': 146,
      'models/series: series of a member': 95,
      'models/share-link: shared_text': 65,
    },
  },
  {
    reason: 'Part of migrations/0001, which never changes.',
    lines: {
      'schema/15-changes: function number_changes(integer)': 81,
    },
  },
];

const LISTED = new Map(LONG.flatMap(({ lines }) => Object.entries(lines)));

/** @returns sentences about texts that are longer than this list permits, and about entries that are not needed */
export function faultsOfLength(entries: readonly Entry[], listed: ReadonlyMap<string, number> = LISTED): string[] {
  const found = new Map(entries.map((entry) => [nameOf(entry), entry.lines]));
  return [
    ...[...found]
      .filter(([name, lines]) => lines > (listed.get(name) ?? MAX_LINES))
      .map(([name, lines]) => `${name} has ${lines} lines, at most ${listed.get(name) ?? MAX_LINES} are permitted.`),
    ...[...listed.keys()]
      .filter((name) => (found.get(name) ?? 0) <= MAX_LINES)
      .map((name) => `${name} has at most ${MAX_LINES} lines or is gone: remove it from the list.`),
  ];
}
