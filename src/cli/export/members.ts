/** The public profiles of all members as JSON, with their series, for an import that restores them. */
import { inPages, type Snapshot } from '../../export/snapshot.js';
import { IS_PENDING } from '../../models/member/member.js';
import { toDate } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';

interface Profile {
  nickname: string;
  /** For the keyset. */
  key: string;
  bio: string;
  image: string | null;
  createdAt: Date;
  /** Null if there are none. Front matter has only the titles of those with articles. */
  series: { title: string; description: string; updatedAt: string }[] | null;
}

/** In the order of the index of nicknames, which does not depend on ids. */
const PROFILES = statement<[lastKey: string, size: number], Profile>(
  'export_profiles',
  `select nickname, lower(nickname) as key, bio, profile_image as image, created_at as "createdAt",
     (select json_agg(json_build_object('title', s.title, 'description', s.description, 'updatedAt', s.updated_at at time zone 'UTC')
        order by s.title collate "C", s.id) from series s where s.member_id = members.id) as series
   from members
   where lower(nickname) > $1 and not (${IS_PENDING}) order by lower(nickname) limit $2`,
);

const PAGE_ROWS = 500;

/** An array with one member in each line. @param pathOf the path of an image in the folder; null if it is missing */
export async function* membersJson(
  { read }: Snapshot,
  pathOf: (image: string, nickname: string) => Promise<string | null>,
  counts: { members: number },
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of inPages<Profile>(PAGE_ROWS, (last) => read(PROFILES, [last?.key ?? '', PAGE_ROWS]))) {
    for (const { nickname, bio, image, createdAt, series } of page) {
      const path = image && (await pathOf(image, nickname));
      const listed = series?.map((one) => ({ ...one, updatedAt: toDate(one.updatedAt) }));
      yield before + JSON.stringify({ nickname, bio, image: path, createdAt, series: listed });
      before = ',\n';
    }
    counts.members += page.length;
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}
