/** Statements that delete what a member shares with many others, in batches, before the member is deleted. */
import { statement } from '../../platform/database/statement.js';

type Removal = [memberId: number, limit: number];

const removal = (name: string, rows: string) =>
  statement<Removal, { removed: number }>(
    name,
    `with removed as (delete from ${rows} returning 1) select count(*) as removed from removed`,
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
