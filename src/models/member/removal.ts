/** Statements that delete what a member shares with many others, in batches, before the member is deleted. */
import { statement } from '../../platform/database/statement.js';

type Removal = [memberId: number, limit: number];

const removal = (name: string, rows: string) =>
  statement<Removal, { removed: number }>(
    name,
    `with removed as (delete from ${rows} returning 1) select count(*) as removed from removed`,
  );

/** The articles that the member comments on, locked before these comments: the foreign key changes them. */
export const LOCK_COMMENTED_ARTICLES = statement<[memberId: number], { locked: number }>(
  'lock_commented_articles',
  `select count(*) as locked from (
     select a.id from all_articles a
     where a.id in (select article_id from comments where member_id = $1 union select article_id from held_comments where member_id = $1)
     order by a.id for key share
   ) a`,
);

/** The articles of the member, before their tags. */
export const LOCK_ARTICLES = statement<[memberId: number], { locked: number }>(
  'lock_articles_of_member',
  'select count(*) as locked from (select from all_articles where member_id = $1 order by id for update) a',
);

/** Likes by the member, and follows of the member. A job deletes what readers have of the member's articles. */
export const REMOVALS = [
  removal(
    'remove_likes',
    `article_likes where member_id = $1 and article_id in (
       select article_id from article_likes where member_id = $1 order by created_at, article_id limit $2)`,
  ),
  removal(
    'remove_followers',
    `follows where member_id = $1 and follower_id in (
       select follower_id from follows where member_id = $1 order by follower_id limit $2)`,
  ),
];
