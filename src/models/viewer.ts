/** What a member has done with articles and with other members. */
import { statement } from '../platform/database/statement.js';
import { readableBy } from './article/article.js';
import { REACTIONS, type ReactionsOfViewer } from './reaction-kinds.js';
import type { Reader } from './reader.js';

export interface ArticleViewer extends ReactionsOfViewer {
  id: number;
  bookmarked: boolean;
  followsAuthor: boolean;
}

/** With an offset, PostgreSQL looks up one row; it could read all that the member has done otherwise, once for all articles. */
const exists = (rows: string): string => `exists (select from ${rows} offset 0)`;

const REACTED = REACTIONS.map(
  ({ kind, participle }) =>
    `${exists(`reactions where article_id = a.id and kind = '${kind}' and member_id = $2`)} as ${participle}`,
).join(', ');

/** No row for an article that the reader does not see. */
export const ARTICLE_VIEWERS = statement<
  [articleIds: readonly number[], memberId: number, reader: Reader],
  ArticleViewer
>(
  'article_viewers',
  `select a.id, ${REACTED},
     ${exists('bookmarks where article_id = a.id and member_id = $2')} as bookmarked,
     ${exists('follows where member_id = a.member_id and follower_id = $2')} as "followsAuthor"
   from all_articles a where a.id = any($1::bigint[]) and ${readableBy('$3::reader')}`,
);

export interface MemberViewer {
  id: number;
  follows: boolean;
  blocks: boolean;
}

export const MEMBER_VIEWERS = statement<[memberIds: readonly number[], viewerId: number], MemberViewer>(
  'member_viewers',
  `select m.id, ${exists('follows where member_id = m.id and follower_id = $2')} as follows,
     ${exists('blocks where member_id = $2 and blocked_id = m.id')} as blocks
   from unnest($1::bigint[]) m(id)`,
);
