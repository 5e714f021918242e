/** Fair queueing of summaries: the author of each pending summary, and the round in which it is processed. */
import type { Migration } from '../src/platform/database/migration.js';

const rounds = `
-- Requests from before this migration have no author; they are in the first round.
alter table article_summaries
  add column member_id bigint,
  add column round     integer not null default 0;
`;

const indexes = [
  "create index article_summaries_round on article_summaries (round) where status in ('PENDING', 'PROCESSING')",
  `create index article_summaries_member_round on article_summaries (member_id, round)
   where status in ('PENDING', 'PROCESSING')`,
];

export const migration: Migration = {
  name: '0012-summary-rounds',
  locks: { article_summaries: 'access exclusive' },
  up: [rounds],
  indexes,
};
