/** All migrations, oldest first. A released migration never changes; a later migration corrects it. */
import type { Migration } from '../src/database/migration.js';
import { migration as journal } from './0001-journal.js';
import { migration as accounts } from './0002-accounts.js';
import { migration as journalLists } from './0003-journal-lists.js';
import { migration as search } from './0004-search.js';
import { migration as notifications } from './0005-notifications.js';
import { migration as summaries } from './0006-summaries.js';
import { migration as customStyles } from './0007-custom-styles.js';
import { migration as stamps } from './0008-stamps.js';
import { migration as articleHtml } from './0009-article-html.js';
import { migration as databaseLimits } from './0010-database-limits.js';
import { migration as displayNames } from './0011-display-names.js';
import { migration as summaryRounds } from './0012-summary-rounds.js';

export const migrations: readonly Migration[] = [
  journal,
  accounts,
  journalLists,
  search,
  notifications,
  summaries,
  customStyles,
  stamps,
  articleHtml,
  databaseLimits,
  displayNames,
  summaryRounds,
];
