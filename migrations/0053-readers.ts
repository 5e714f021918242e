/**
 * Lists of one's own articles by likes and views by an index (docs/decisions/discovery.md), and numbers of notifications beside many articles that
 * have ended (docs/decisions/reactions.md).
 */
import type { Migration } from '../src/platform/database/migration.js';

const ended = `
-- Null: the article has no notifications of followers, or the job has deleted them.
alter table ended_articles alter column notification_id drop not null;

create or replace function end_articles(ids bigint[]) returns void language plpgsql as $$
begin
  insert into ended_articles (article_id, notification_id)
  select id, (select last_value from notification_ids where exists (select from notifications where article_id = i.id and type = 'ARTICLE'))
  from unnest(ids) i (id) order by id
  on conflict (article_id) do update set notification_id = excluded.notification_id;
  perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
end $$;
`;

/** As those of public articles, which are merged with them in the lists of an owner: a row is in one of both. */
const ofOwner = (owner: 'member' | 'category', number: 'likes' | 'views') => [
  `create index article_counts_private_${owner}_${number} on article_counts (${owner}_id, ${number}, article_id) where is_private`,
  `create index article_trends_private_${owner}_${number} on article_trends (days, ${owner}_id, ${number}, article_id)
   where ${number} > 0 and is_private`,
];

export const migration: Migration = {
  name: '0053-readers',
  locks: { ended_articles: 'access exclusive' },
  up: [ended],
  indexes: [
    'create index ended_articles_notified on ended_articles (article_id) where notification_id is not null',
    ...ofOwner('member', 'likes'),
    ...ofOwner('member', 'views'),
    ...ofOwner('category', 'likes'),
    ...ofOwner('category', 'views'),
  ],
};
