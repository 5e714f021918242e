/** Creates members without a login for the people of a source. */
import { DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { statement } from '../platform/database/statement.js';
import { skeletonOf } from '../platform/display-name/skeleton.js';
import { nicknameFor, type Person } from './person.js';
import { note, type Report } from './report.js';
import { findImported, inRowBatches, recordImported, reserveIds, type Writer } from './writer.js';

/** The ids of members that still exist. */
export const EXISTING_MEMBERS = statement<[ids: number[]], { id: number }>(
  'import_existing_members',
  'select id from members where id = any($1::bigint[])',
);

/** Inserts the members whose nickname is free. */
export const ADD_MEMBERS = statement<
  [
    ids: number[],
    memberNames: string[],
    nicknames: string[],
    skeletons: string[],
    bios: string[],
    createdAt: (Date | null)[],
  ],
  { id: number }
>(
  'import_add_members',
  `insert into members (id, member_name, nickname, nickname_skeleton, bio, created_at) overriding system value
   select id, member_name, nickname, skeleton, bio, coalesce(created_at, now())
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
     as m(id, member_name, nickname, skeleton, bio, created_at)
   on conflict do nothing returning id`,
);

export const ADD_DEFAULT_CATEGORIES = statement<[memberIds: number[], name: string]>(
  'import_add_default_categories',
  'insert into categories (member_id, name, is_default) select unnest($1::bigint[]), $2, true',
);

/** Maximum attempts for a nickname. From the sixth on it contains the reserved member id, so that fewer are needed. */
const MAX_ROUNDS = 10;

const NAME_CHANGED = 'names that another member has, that are too long or that are not permitted: now different';

/** Finds or creates the member of each person. Null if the member was deleted after an earlier import. */
export async function saveMembers(
  writer: Writer,
  people: readonly Person[],
  report: Report,
): Promise<Map<Person, number | null>> {
  const members = new Map<Person, number | null>();
  for (const batch of inRowBatches([...new Set(people)])) await saveBatch(writer, batch, members, report);
  return members;
}

async function saveBatch(
  writer: Writer,
  people: readonly Person[],
  members: Map<Person, number | null>,
  report: Report,
): Promise<void> {
  const importedIds = await findImported(writer, 'member', [...new Set(people.flatMap(({ keys }) => keys))]);
  const given = people.flatMap(({ memberId }) => memberId ?? []);
  const found = await writer.run(EXISTING_MEMBERS, [[...importedIds.values(), ...given]]);
  const existing = new Set(found.map(({ id }) => id));
  const importedIdOf = ({ keys, memberId }: Person) =>
    memberId ?? keys.map((key) => importedIds.get(key)).find((id) => id !== undefined);
  const missing = new Map(
    people.filter((person) => importedIdOf(person) === undefined).map((person) => [identity(person), person]),
  );
  const added = missing.size > 0 ? await addMembers(writer, [...missing.values()], report) : new Map<string, number>();
  report.added.members += added.size;
  for (const id of [...existing, ...added.values()]) report.referenced.members.add(id);
  for (const person of people) {
    const id = importedIdOf(person);
    members.set(person, id === undefined ? (added.get(identity(person)) ?? null) : existing.has(id) ? id : null);
  }
}

function identity({ keys }: Person): string {
  return keys[keys.length - 1] ?? keys[0];
}

/** @returns the ids of the new members by identity */
async function addMembers(writer: Writer, people: readonly Person[], report: Report): Promise<Map<string, number>> {
  const ids = await reserveIds(writer, 'members', people.length);
  const rows = people.map((person, index) => ({
    key: identity(person),
    name: person.name,
    given: person.given ?? person.name,
    bio: person.bio ?? '',
    createdAt: person.createdAt ?? null,
    id: ids[index] ?? 0,
  }));
  let pending = rows;
  for (let round = 0; pending.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new Error(`no nickname is free for ${pending[0]?.name}`);
    const nicknames = pending.map(({ name, id }) => nicknameFor(name, id, round));
    const inserted = await writer.run(ADD_MEMBERS, [
      pending.map(({ id }) => id),
      pending.map(({ name }) => name),
      nicknames,
      nicknames.map(skeletonOf),
      pending.map(({ bio }) => bio),
      pending.map(({ createdAt }) => createdAt),
    ]);
    const insertedIds = new Set(inserted.map(({ id }) => id));
    for (const [index, { id, given }] of pending.entries()) {
      const nickname = nicknames[index];
      if (insertedIds.has(id) && nickname !== given)
        report.addNotes([note('reduced', NAME_CHANGED, `${given}, now ${nickname}`)]);
    }
    pending = pending.filter(({ id }) => !insertedIds.has(id));
  }
  await writer.run(ADD_DEFAULT_CATEGORIES, [ids, DEFAULT_CATEGORY_NAME]);
  await recordImported(writer, 'member', rows);
  return new Map(rows.map(({ key, id }) => [key, id]));
}
