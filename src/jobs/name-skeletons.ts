/** Skeletons of the nicknames that were chosen before there were any, or by a process of an older version. */

import { statement } from '../database/statement.js';
import { skeletonOf } from '../display-name/skeleton.js';
import type { Services } from '../services.js';

const BATCH = 1_000;

/** Values: the last member id of the batch before. */
const WITHOUT_SKELETON = statement<{ id: number; nickname: string }>(
  'members_without_skeleton',
  `select id, nickname from members where nickname_skeleton is null and id > $1 order by id limit ${BATCH}`,
);

/**
 * Of names that look alike the oldest member's gets the skeleton. A name that changed in the meantime has one already.
 * Values: member ids, skeletons.
 */
const FILL_SKELETONS = statement<never>(
  'fill_name_skeletons',
  `update members m set nickname_skeleton = f.skeleton
   from (select distinct on (skeleton) id, skeleton from unnest($1::bigint[], $2::text[]) as u(id, skeleton)
         order by skeleton, id) f
   where m.id = f.id and m.nickname_skeleton is null
     and not exists (select from members other where other.nickname_skeleton = f.skeleton)`,
);

/** Does nothing where no skeleton is missing. A name that is registered at the same moment fails it, and it runs again. */
export async function fillNameSkeletons(_payload: unknown, { database }: Services): Promise<void> {
  for (let last = 0, size = BATCH; size === BATCH; ) {
    const members = await database.query(WITHOUT_SKELETON, [last]);
    const skeletons = members.map(({ nickname }) => skeletonOf(nickname));
    await database.query(FILL_SKELETONS, [members.map(({ id }) => id), skeletons]);
    size = members.length;
    last = members.at(-1)?.id ?? last;
  }
}
