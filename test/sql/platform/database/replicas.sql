-- begin_snapshot
-- not prepared
begin isolation level repeatable read read only;

-- commit_snapshot
-- not prepared
commit;

-- primary_position
-- () returns (double precision)
select
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position;

-- replica_state
-- () returns (boolean, double precision)
select
  pg_is_in_recovery() as "isStandby",
  pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position;
