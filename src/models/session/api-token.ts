/** The api_tokens table: credentials of programs, with scopes. Only hashes of the tokens are stored. A token ends when its row is deleted. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';

/** What an API token may be allowed, in the order of responses and documents. Public reads need no scope. */
export const SCOPES = {
  read: 'Your profile with its email, and your lists, except notifications.',
  articles: 'Your articles and categories: their lists and all changes.',
  drafts:
    'Your drafts, except those of private articles, and their revisions: lists and all changes; previews, and uploads of images. No publication, schedules and share links, and no changes of drafts that have one.',
  comments: 'Your comments and those on your articles: their lists, the content of hidden ones, and all changes.',
  reactions: 'Likes, bookmarks and follows: all changes.',
  images: 'Your images: their list, uploads and deletions.',
  notifications: 'Your notifications and their settings: lists, live streams and all changes.',
  ai: 'Summaries, texts in other styles, prompts, and your custom styles.',
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

export const MAX_API_TOKENS = fixedLimit({
  area: 'Accounts',
  about: 'API tokens of a member, including expired ones.',
  value: 50,
  error: 'TOKEN_LIMIT_REACHED',
});

/** The readable columns. */
const API_TOKEN = new ColumnList({
  id: column<string>('id'),
  name: column<string>('name'),
  scopes: column<Scope[]>('scopes'),
  createdAt: column<Date>('created_at'),
  expiresAt: column<Date | null>('expires_at'),
  lastUsedAt: column<Date | null>('last_used_at'),
});

export type ApiTokenRow = Row<typeof API_TOKEN>;

/** Newest first. */
export const MEMBER_API_TOKENS = statement<[memberId: number], ApiTokenRow>(
  'member_api_tokens',
  `select ${API_TOKEN.select} from api_tokens where member_id = $1 order by created_at desc, id`,
);

/** No row if the member has the maximum number. The transaction must hold the lock of the member's row, which makes the count valid. */
export const ADD_API_TOKEN = statement<
  [id: string, memberId: number, tokenHash: Buffer, name: string, scopes: readonly Scope[], expiresAt: string | null],
  ApiTokenRow
>(
  'add_api_token',
  `insert into api_tokens (id, member_id, token_hash, name, scopes, expires_at)
   select $1, $2, $3, $4, $5, $6 where (select count(*) from api_tokens where member_id = $2) < ${MAX_API_TOKENS}
   returning ${API_TOKEN.select}`,
);

interface UsedApiToken {
  id: string;
  memberId: number;
  scopes: Scope[];
  expiresAt: Date | null;
  isExpired: boolean;
  /** Whether the last use is not of this minute. */
  isStale: boolean;
  suspension: Suspension | null;
}

export const API_TOKEN_BY_HASH = statement<[tokenHash: Buffer], UsedApiToken>(
  'api_token_by_hash',
  `select t.id, t.member_id as "memberId", t.scopes, t.expires_at as "expiresAt",
          coalesce(t.expires_at <= now(), false) as "isExpired",
          coalesce(t.last_used_at < date_trunc('minute', now()), true) as "isStale", ${suspensionOf('m')} as suspension
   from api_tokens t join members m on m.id = t.member_id where t.token_hash = $1`,
);

/** One write in a minute: of concurrent statements, those that find the row locked skip it. */
export const TOUCH_API_TOKEN = statement<[id: string]>(
  'touch_api_token',
  `update api_tokens set last_used_at = date_trunc('minute', now()) where id = (
     select id from api_tokens
     where id = $1 and (last_used_at is null or last_used_at < date_trunc('minute', now())) for update skip locked)`,
);

/** Deletes one token of a member and records a security event. `sessionId`: null if an operator deletes it. */
export const DELETE_API_TOKEN = statement<
  [id: string, memberId: number, sessionId: string | null, address: string, device: string],
  ApiTokenRow
>(
  'delete_api_token',
  `with removed as (delete from api_tokens where id = $1 and member_id = $2 returning *),
   event as (
     insert into security_events (member_id, kind, session_id, address, device)
     select member_id, 'API_TOKEN_DELETED', $3, $4, $5 from removed
   )
   select ${API_TOKEN.select} from removed`,
);
