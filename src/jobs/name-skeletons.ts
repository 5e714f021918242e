/** Fills the skeletons that a migration clears after a change of the characters that look alike (docs/decisions/display-names.md). */
import { FILL_SKELETONS, MEMBERS_WITHOUT_SKELETON } from '../models/member/nickname.js';
import { skeletonOf } from '../platform/display-name/skeleton.js';
import type { Services } from '../services/index.js';

const BATCH = 1_000;

/** Does nothing if no skeleton is missing. If a concurrent registration of the same name makes the job fail, it is retried. */
export async function fillNameSkeletons(_payload: unknown, { database }: Services): Promise<void> {
  for (let last = 0, size = BATCH; size === BATCH; ) {
    const members = await database.query(MEMBERS_WITHOUT_SKELETON, [last, BATCH]);
    const skeletons = members.map(({ nickname }) => skeletonOf(nickname));
    await database.query(FILL_SKELETONS, [members.map(({ id }) => id), skeletons]);
    size = members.length;
    last = members.at(-1)?.id ?? last;
  }
}
