/** Maps violations of database constraints to the error keys of the same rules in the application. */
import { type ErrorKey } from '../error-keys.js';
import { AppError, memberSuspended, type SuspensionDetails } from '../errors.js';

const KEYS: Record<string, ErrorKey> = {
  members_email_key: 'EMAIL_TAKEN',
  members_nickname_key: 'NICKNAME_TAKEN',
  members_nickname_skeleton_key: 'NICKNAME_TAKEN',
  categories_name_key: 'CATEGORY_NAME_TAKEN',
  custom_styles_name_key: 'STYLE_NAME_TAKEN',
  comments_article_id_fkey: 'ARTICLE_NOT_FOUND',
  held_comments_article_id_fkey: 'ARTICLE_NOT_FOUND',
  comments_parent_id_fkey: 'COMMENT_NOT_FOUND',
  comments_parent_check: 'COMMENT_NOT_FOUND',
  articles_category_fkey: 'CATEGORY_NOT_FOUND',
  article_slugs_pkey: 'SLUG_TAKEN',
  articles_translation_key: 'TRANSLATION_EXISTS',
  drafts_category_id_fkey: 'CATEGORY_NOT_FOUND',
  drafts_image_id_fkey: 'IMAGE_NOT_FOUND',
  drafts_article_id_fkey: 'ARTICLE_NOT_FOUND',
  draft_counts_drafts_check: 'DRAFT_LIMIT_REACHED',
  draft_counts_bytes_check: 'DRAFT_LIMIT_REACHED',
  reader_counts_bookmarks_check: 'BOOKMARK_LIMIT_REACHED',
  reader_counts_following_check: 'FOLLOW_LIMIT_REACHED',
  blocks_limit: 'BLOCK_LIMIT_REACHED',
  held_comments_limit: 'HELD_LIMIT_REACHED',
  blocks_blocked_id_fkey: 'MEMBER_NOT_FOUND',
  reactions_article_id_fkey: 'ARTICLE_NOT_FOUND',
  bookmarks_article_id_fkey: 'ARTICLE_NOT_FOUND',
  follows_member_id_fkey: 'MEMBER_NOT_FOUND',
  // The member withdrew during the request, as for the keys of `OF_MEMBER`.
  follows_follower_id_fkey: 'UNAUTHENTICATED',
  // A concurrent request of another member linked this account, or one of this member linked another account of the same provider.
  social_links_subject_key: 'OAUTH_REJECTED',
  social_links_member_key: 'OAUTH_REJECTED',
};

/** Foreign keys of rows that belong to a member: the member withdrew during the request. */
const OF_MEMBER = /_member_id_fkey$/;

/** Raised by the function `require_not_suspended`, with the suspension as JSON. */
const SUSPENDED = 'member_suspended';

/** @throws an AppError if `error` violates a constraint listed in `KEYS`, SUSPENDED or a key of `OF_MEMBER`; otherwise `error` itself. */
export function throwMapped(error: unknown): never {
  const constraint = causeOf(error)?.constraint ?? '';
  if (constraint === SUSPENDED)
    throw memberSuspended(JSON.parse(causeOf(error)?.detail ?? '') as SuspensionDetails, error);
  const key = KEYS[constraint] ?? (OF_MEMBER.test(constraint) ? 'UNAUTHENTICATED' : undefined);
  throw key === undefined ? error : new AppError(key, { cause: error });
}

interface Violation {
  readonly constraint: string;
  readonly detail?: string;
}

/** The error of PostgreSQL with the name of the violated constraint, also if Sequelize wrapped it. */
function causeOf(error: unknown): Violation | undefined {
  const { constraint, parent } = error as { constraint?: unknown; parent?: unknown };
  if (typeof constraint === 'string') return error as Violation;
  return parent == null ? undefined : causeOf(parent);
}
