/** Alternative texts of the images of articles. */
import type { Migration } from '../src/platform/database/migration.js';

const alternatives = `
alter table articles add column image_alt varchar(300);
`;

export const migration: Migration = {
  name: '0024-image-alt-texts',
  locks: { articles: 'access exclusive' },
  up: [alternatives],
};
