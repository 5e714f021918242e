/** The spam score learns from the decisions of operators, too, who are no members (docs/decisions/spam-score.md). */
import type { Migration } from '../src/platform/database/migration.js';

const labels = `
-- Null for an operator.
alter table spam_labels alter column decided_by drop not null;
`;

export const migration: Migration = {
  name: '0054-operator-labels',
  locks: { spam_labels: 'access exclusive' },
  up: [labels],
};
