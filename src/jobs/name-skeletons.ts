/** Backfill of skeletons for nicknames that were saved before the column existed, or by a process of an older version. */

import { statement } from '../database/statement.js';
import { skeletonOf } from '../display-name/skeleton.js';
import type { Services } from '../services.js';

const BATCH = 1_000;

const WITHOUT_SKELETON = statement<[lastMemberId: number], { id: number; nickname: string }>(
  'members_without_skeleton',
  `select id, nickname from members where nickname_skeleton is null and id > $1 order by id limit ${BATCH}`,
);

/** Of names with the same skeleton, the oldest member's gets it. A name that changed in the meantime already has one. */
const FILL_SKELETONS = statement<[memberIds: number[], skeletons: string[]]>(
  'fill_name_skeletons',
  `update members m set nickname_skeleton = f.skeleton
   from (select distinct on (skeleton) id, skeleton from unnest($1::bigint[], $2::text[]) as u(id, skeleton)
         order by skeleton, id) f
   where m.id = f.id and m.nickname_skeleton is null
     and not exists (select from members other where other.nickname_skeleton = f.skeleton)`,
);

/** Does nothing if no skeleton is missing. If a concurrent registration of the same name makes the job fail, it is retried. */
export async function fillNameSkeletons(_payload: unknown, { database }: Services): Promise<void> {
  for (let last = 0, size = BATCH; size === BATCH; ) {
    const members = await database.query(WITHOUT_SKELETON, [last]);
    const skeletons = members.map(({ nickname }) => skeletonOf(nickname));
    await database.query(FILL_SKELETONS, [members.map(({ id }) => id), skeletons]);
    size = members.length;
    last = members.at(-1)?.id ?? last;
  }
}
