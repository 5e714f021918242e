/** The share_links table: links with which anyone can read one text. Only hashes of the tokens are stored. A link ends when its row is deleted. */
import { type Statement, statement } from '../platform/database/statement.js';
import { readableBy } from './article/article.js';
import { mentionsOf, type StoredHtml } from './article/html.js';
import { imagesOfArticle } from './image.js';
import { hasAccessSql } from './session/access.js';

/** What a link can be for. */
export type SharedKind = 'draft' | 'article';

/** The link of a text, and what determines who may manage it. */
export interface ShareOfText {
  memberId: number;
  /** Whether a moderator has removed the article, or that of the draft: it cannot be read by its link. */
  isRemoved: boolean;
  /** Null if there is no link, or it has expired. */
  expiresAt: Date | null;
}

export interface ShareStatements {
  /** No row if the member cannot read the text. */
  readonly find: Statement<[id: number, memberId: number], ShareOfText>;
  /**
   * Replaces the current link. The transaction must have locked the member (`LOCK_SHARING_MEMBER`).
   * `exists`: the member has this text. `expiresAt`: null if there is no such text, or the session or API token has ended.
   */
  readonly add: Statement<
    [id: number, memberId: number, credentialId: string, tokenHash: Buffer, lifetimeSeconds: number],
    { exists: boolean; expiresAt: Date | null }
  >;
  /** Ends the current link. */
  readonly remove: Statement<[id: number, memberId: number], never>;
}

const isArticleRemoved = (...ids: string[]): string =>
  `exists (select from all_articles r where r.id in (${ids.join(', ')}) and r.removed_at is not null)`;

/**
 * @param table of the texts
 * @param articleId of a text
 * @param readable the condition for a row `a` that the member `$2` can read
 */
function statementsFor(kind: SharedKind, table: string, articleId: string, readable: string): ShareStatements {
  const isRemoved = isArticleRemoved(articleId);
  return {
    find: statement(
      `share_of_${kind}`,
      `select a.member_id as "memberId", ${isRemoved} as "isRemoved", s.expires_at as "expiresAt"
       from ${table} a left join share_links s on s.${kind}_id = a.id and s.expires_at > now()
       where a.id = $1 and ${readable}`,
    ),
    add: statement(
      `share_${kind}`,
      `with own as (select id from ${table} a where id = $1 and member_id = $2 and not ${isRemoved} for key share of a),
       added as (
         insert into share_links (token_hash, member_id, ${kind}_id, expires_at)
         select $4, $2, id, now() + $5::integer * interval '1 second' from own where ${hasAccessSql('$3')}
         on conflict (${kind}_id) do update
           set token_hash = excluded.token_hash, member_id = excluded.member_id, created_at = now(), expires_at = excluded.expires_at
         returning expires_at
       )
       select exists (select from own) as exists, (select expires_at from added) as "expiresAt"`,
    ),
    // Also the link of an earlier author, whose texts `daybook member claim` has transferred.
    remove: statement(
      `unshare_${kind}`,
      `delete from share_links where ${kind}_id = (select id from ${table} where id = $1 and member_id = $2)`,
    ),
  };
}

export const SHARES: Readonly<Record<SharedKind, ShareStatements>> = {
  draft: statementsFor('draft', 'drafts', 'a.article_id', 'a.member_id = $2'),
  article: statementsFor('article', 'all_articles', 'a.id', readableBy('reader_of($2)')),
};

/**
 * A statement of its own before a link is added: what ends links locks the member too. Whether the session has ended is then visible, and the new
 * link to what follows. No row if the account was locked or deleted.
 */
export const LOCK_SHARING_MEMBER = statement<[memberId: number], { id: number }>(
  'lock_sharing_member',
  'select id from members where id = $1 and locked_at is null for share',
);

export interface SharedTextRow {
  title: string;
  content: string;
  authorName: string;
  tags: string[];
  /** The storage key of the image of the article. */
  image: string | null;
  imageWidth: number | null;
  imageHeight: number | null;
  imageAlt: string | null;
  updatedAt: Date;
  expiresAt: Date;
  /** The stored HTML of an article; null if it has to be rendered. */
  html: string | null;
  /** The uploaded images that the stored HTML refers to, by their keys. */
  images: StoredHtml['images'];
  /** Those of an article. */
  mentions: StoredHtml['mentions'];
}

/** No row if there is no such link, it has expired, or a moderator has removed the article, or that of the draft. */
export const SHARED_TEXT = statement<[tokenHash: Buffer, rendererVersion: number], SharedTextRow>(
  'shared_text',
  `select coalesce(d.title, a.title) as title, coalesce(d.content, a.content) as content, m.nickname as "authorName",
     coalesce(d.tags, array(select t.name from all_article_tags x join tags t on t.id = x.tag_id
       where x.article_id = a.id order by x.position)::text[]) as tags,
     coalesce(a.image, n.image) as image,
     coalesce(a.image_width, n.image_width) as "imageWidth",
     coalesce(a.image_height, n.image_height) as "imageHeight",
     coalesce(a.image_alt, n.image_alt) as "imageAlt",
     coalesce(d.updated_at, a.updated_at) as "updatedAt", s.expires_at as "expiresAt",
     h.html, case when h.html is not null then ${imagesOfArticle('a.id')} end as images, ${mentionsOf('a.id')} as mentions
   from share_links s join members m on m.id = s.member_id
     left join drafts d on d.id = s.draft_id
     cross join lateral shown_with_draft(null, d.article_id, d.member_id, d.image_id, d.image_alt, d.removes_image, null, false) n
     left join all_articles a on a.id = s.article_id
     left join article_html h on h.article_id = a.id and h.version >= $2
   where s.token_hash = $1 and s.expires_at > now() and not ${isArticleRemoved('s.article_id', 'd.article_id')}`,
);

export const DELETE_EXPIRED_SHARES = statement<[limit: number], { deleted: number }>(
  'delete_expired_share_links',
  `with removed as (
     delete from share_links where token_hash = any (array(
       select token_hash from share_links where expires_at <= now() order by expires_at limit $1 for update skip locked
     )) returning token_hash
   )
   select count(*)::int as deleted from removed`,
);
