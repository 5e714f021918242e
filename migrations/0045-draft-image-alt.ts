/** Alternative texts of the images of drafts: of imported ones, which are published with them. */
import type { Migration } from '../src/platform/database/migration.js';

const alternatives = `
alter table drafts add column image_alt varchar(300);

create function draft_image_replaced() returns trigger language plpgsql as $$
begin
  new.image_alt := null;
  return new;
end $$;
create trigger draft_image_replaced before update of image_id on drafts for each row
  when (old.image_id is not null and old.image_id is distinct from new.image_id) execute function draft_image_replaced();
`;

export const migration: Migration = {
  name: '0045-draft-image-alt',
  locks: { drafts: 'access exclusive' },
  up: [alternatives],
};
