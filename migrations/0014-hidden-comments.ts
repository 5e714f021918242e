/** Comments that the author of the article has hidden. Their content is masked when it is read (src/models/comment/comment.ts). */
import type { Migration } from '../src/platform/database/migration.js';

const hidden = `
alter table comments add column is_hidden boolean not null default false;
create trigger comment_hidden after update on comments
  for each row when (old.is_hidden <> new.is_hidden) execute function comment_reworded();
`;

export const migration: Migration = {
  name: '0014-hidden-comments',
  locks: { comments: 'access exclusive' },
  up: [hidden],
};
