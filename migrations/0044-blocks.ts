/** Blocks: members who have nothing to do with each other (docs/decisions/blocks.md). */
import { BLOCK_LOCKS } from '../src/platform/database/locks.js';
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table blocks (
  member_id  bigint not null references members on delete cascade,
  blocked_id bigint not null references members on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, blocked_id),
  constraint blocks_not_oneself check (member_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);
-- The blocks between two members, whoever of them blocks the other, in one lookup.
create index blocks_pair on blocks (least(member_id, blocked_id), greatest(member_id, blocked_id));
`;

/**
 * Locks of pairs of members: writes that a block prevents share the lock of the pair until they are committed, and a block waits for them. Both take
 * it before all other locks. In functions, since their statements see what was committed before each of them, and so before the lock.
 */
const functions = `
create function lock_of_pair(member bigint, other bigint) returns integer language sql immutable strict as $$
  select hashtext(least(member, other) || ' ' || greatest(member, other))
$$;

create function blocks_between(member bigint, others bigint[]) returns table (member_id bigint, blocked_id bigint) language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${BLOCK_LOCKS}, o.lock)
  from (select distinct lock_of_pair(member, id) as lock from unnest(others) x (id) where id <> member order by 1) o;
  return query select b.member_id, b.blocked_id from unnest(others) x (id) join blocks b
    on least(b.member_id, b.blocked_id) = least(member, x.id) and greatest(b.member_id, b.blocked_id) = greatest(member, x.id);
end $$;

-- The blocks of one member wait for each other, so that their number is exact.
create function block_member(member bigint, other bigint, most integer) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(${BLOCK_LOCKS}, lock_of_pair(member, member));
  perform pg_advisory_xact_lock(${BLOCK_LOCKS}, lock_of_pair(member, other));
  insert into blocks (member_id, blocked_id) values (member, other) on conflict do nothing;
  if not found then return; end if;
  if (select count(*) from blocks b where b.member_id = member) > most then
    raise exception using errcode = 'check_violation', constraint = 'blocks_limit';
  end if;
  delete from follows f where (f.follower_id, f.member_id) in ((member, other), (other, member));
end $$;
`;

export const migration: Migration = {
  name: '0044-blocks',
  locks: { members: 'share row exclusive' },
  up: [tables, functions],
};
