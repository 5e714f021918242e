-- migrations_and_mode
-- () returns (text[], boolean)
select
  array(
    select
      name
    from
      migrations
    where
      isfinite(applied_at)
  )::text[] as applied,
  pg_is_in_recovery()
  or current_setting('transaction_read_only')::boolean as "isReadOnly";

-- names_of_migrations
-- () returns (text[])
select
  array(
    select
      name
    from
      migrations
    order by
      name
  )::text[] as names;
