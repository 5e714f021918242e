/** Changes of public profiles renew the stamp of names, so that every stamp covers the profiles in a response. */
import type { Migration } from '../src/platform/database/migration.js';

const profiles = `
drop trigger names_stamped on members;
create trigger names_stamped after update on members for each row
  when ((old.nickname, old.bio, old.profile_image, old.updated_at) is distinct from
    (new.nickname, new.bio, new.profile_image, new.updated_at))
  execute function names_stamped();
`;

export const migration: Migration = {
  name: '0013-profile-stamps',
  locks: { members: 'access exclusive' },
  up: [profiles],
};
