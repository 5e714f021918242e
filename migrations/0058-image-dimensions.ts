/** The heights of article images, and the sides of profile images, from which their square sizes follow. A job fills those of existing images. */
import type { Migration } from '../src/platform/database/migration.js';

const columns = `
alter table all_articles add column image_height integer;
create or replace view articles as select * from all_articles where not is_private;
-- The shorter side in pixels; null until the square sizes of the image exist.
alter table members add column profile_image_side integer;
drop index articles_unsized;

drop trigger names_stamped on members;
create trigger names_stamped after update on members for each row
  when ((old.nickname, old.bio, old.profile_image, old.profile_image_side, old.updated_at, old.role) is distinct from
    (new.nickname, new.bio, new.profile_image, new.profile_image_side, new.updated_at, new.role))
  execute function names_stamped();
`;

// A save names the alternative text together with the image, which the trigger would remove.
const drafts = `
drop trigger draft_image_replaced on drafts;
drop function draft_image_replaced;
`;

export const migration: Migration = {
  name: '0058-image-dimensions',
  locks: {
    all_articles: 'access exclusive',
    articles: 'access exclusive',
    members: 'access exclusive',
    drafts: 'access exclusive',
  },
  up: [columns, drafts],
  indexes: [
    'create index articles_unmeasured on all_articles (id) where image is not null and image_height is null',
    'create index members_unmeasured on members (id) where profile_image is not null and profile_image_side is null',
  ],
};
