/** Transfer of the content of an imported author to a member, and the record of an imported member. */
import { statement } from '../../platform/database/statement.js';
import { isBlockBetween } from '../block.js';

/**
 * Creates the categories of the author that the member does not have, as far as the limit allows, and moves the articles to the
 * category of the same name, or to the default one. The triggers of `all_articles` update counters, recipients and stamps.
 */
export const CLAIM_CATEGORIES = statement<[authorId: number, memberId: number, max: number]>(
  'claim_categories',
  `insert into categories (member_id, name)
   select $2, c.name from categories c
   where c.member_id = $1 and not c.is_default
     and (exists (select from all_articles a where a.category_id = c.id) or exists (select from drafts d where d.category_id = c.id))
     and not exists (select from categories o where o.member_id = $2 and lower(o.name) = lower(c.name))
   order by c.id
   limit greatest(0, $3 - (select count(*) from categories where member_id = $2 and not is_default))`,
);

export const CLAIM_ARTICLES = statement<[authorId: number, memberId: number], { id: number }>(
  'claim_articles',
  `update all_articles a
   set member_id = $2, category_id = coalesce(
     (select o.id from categories o, categories c
      where c.id = a.category_id and not c.is_default and o.member_id = $2 and lower(o.name) = lower(c.name)),
     (select id from categories where member_id = $2 and is_default))
   where a.member_id = $1
   returning a.id`,
);

/** With their categories and counters. Schedules stay. */
export const CLAIM_DRAFTS = statement<[authorId: number, memberId: number], { id: number }>(
  'claim_drafts',
  `with counted as (
     insert into draft_counts as c (member_id, drafts, bytes) select $2, drafts, bytes from draft_counts where member_id = $1
     on conflict (member_id) do update set drafts = c.drafts + excluded.drafts, bytes = c.bytes + excluded.bytes
   )
   update drafts d
   set member_id = $2, category_id =
     (select o.id from categories o, categories c where c.id = d.category_id and o.member_id = $2 and lower(o.name) = lower(c.name))
   where d.member_id = $1
   returning d.id`,
);

/** With their articles: the foreign key is checked at commit. `total`: the series of the member afterwards. */
export const CLAIM_SERIES = statement<[authorId: number, memberId: number], { total: number }>(
  'claim_series',
  `with claimed as (update series set member_id = $2 where member_id = $1 returning id)
   select (select count(*) from claimed) + (select count(*) from series where member_id = $2) as total`,
);

/** With their articles, as series. A key that the member has too is replaced. */
export const CLAIM_TRANSLATIONS = statement<[authorId: number, memberId: number]>(
  'claim_translations',
  `update translation_groups g set member_id = $2, key = case
     when exists (select from translation_groups o where o.member_id = $2 and o.key = g.key) then gen_random_uuid()::text else g.key end
   where g.member_id = $1`,
);

/** Otherwise they would be deleted with the author. */
export const CLAIM_IMAGES = statement<[authorId: number, memberId: number]>(
  'claim_images',
  'update images set member_id = $2 where member_id = $1',
);

/** The author, who has no login, has no blocks. Before `CLAIM_FOLLOWERS`. */
export const CLAIM_BLOCKS = statement<[authorId: number, memberId: number]>(
  'claim_blocks',
  `with claimed as (
     insert into blocks (member_id, blocked_id, created_at)
     select member_id, $2::bigint, created_at from blocks where blocked_id = $1 and member_id <> $2 on conflict do nothing
     returning member_id
   )
   delete from follows f using claimed c where (f.follower_id, f.member_id) in ((c.member_id, $2), ($2, c.member_id))`,
);

/** The member has followers of both, and does not follow themselves. The rows of the author are deleted with the author. */
export const CLAIM_FOLLOWERS = statement<[authorId: number, memberId: number]>(
  'claim_followers',
  `insert into follows (follower_id, member_id, created_at)
   select follower_id, $2, created_at from follows where member_id = $1 and follower_id <> $2
     and not ${isBlockBetween('$2::bigint', 'follower_id')} on conflict do nothing`,
);

/** Links of articles lead to the member. */
export const CLAIM_MENTIONS = statement<[authorId: number, memberId: number]>(
  'claim_mentions',
  `insert into article_mentions (article_id, member_id, names, is_notified)
   select article_id, $2, names, is_notified from article_mentions where member_id = $1 on conflict do nothing`,
);

/** Decisions on the content. Reports of the author end with the author. */
export const CLAIM_DECISIONS = statement<[authorId: number, memberId: number]>(
  'claim_decisions',
  'update decisions set member_id = $2 where member_id = $1',
);

/** The counters of `member_counts` follow inserted and deleted comments only. */
export const CLAIM_COMMENTS = statement<[authorId: number, memberId: number], { comments: number }>(
  'claim_comments',
  `with claimed as (
     update comments set member_id = $2, received_by = nullif(received_by, $2) where member_id = $1 returning id
   ), received_from_self as (
     select count(*)::integer as received from comments where member_id = $1 and received_by = $2
   ), counted as (
     select count(*)::integer as comments from claimed
   ), updated as (
     update member_counts c
     set comments = c.comments + case c.member_id when $2 then n.comments else -n.comments end,
         received = c.received - case c.member_id when $2 then o.received else 0 end
     from counted n, received_from_self o where c.member_id in ($1, $2)
   )
   select comments from counted`,
);

/** A later import adds content of this author to the member. */
export const CLAIM_IMPORT_RECORDS = statement<[authorId: number, memberId: number]>(
  'claim_import_records',
  `update imported_records set row_id = $2 where kind = 'member' and row_id = $1`,
);

/** The author of public articles has a public profile, and is not deleted if the address is never confirmed. */
export const SHOW_MEMBER = statement<[memberId: number]>(
  'show_claiming_member',
  'update members set pending_since = null where id = $1 and pending_since is not null',
);

/** Both rows, in the order of their ids. The author must have no email and no login method. */
export const LOCK_CLAIM = statement<[authorId: number, memberId: number], { isReady: boolean }>(
  'lock_claim',
  `select m.id = $2 or (m.email is null and m.password_hash is null
     and not exists (select from social_links where member_id = m.id)
     and not exists (select from passkeys where member_id = m.id)) as "isReady"
   from members m where m.id in ($1, $2) order by m.id for update`,
);

/** The keys of imported members are hashes of emails and names, which can be guessed. */
export const DELETE_IMPORT_RECORD = statement<[memberId: number]>(
  'delete_import_record',
  `delete from imported_records where kind = 'member' and row_id = $1`,
);
