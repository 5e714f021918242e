-- import_add_records
-- (text, text, text[], bigint[]) returns ()
insert into
  imported_records (source, kind, key, row_id)
select
  $1,
  $2,
  key,
  row_id
from
  unnest($3::text[], $4::bigint[]) as r (key, row_id);

-- import_find_records
-- (text, text, text[]) returns (text, bigint)
select
  key,
  row_id as "rowId"
from
  imported_records
where
  source = $1
  and kind = $2
  and key = any ($3::text[]);

-- import_lock_source
-- (integer, text) returns (void)
select
  pg_advisory_xact_lock($1, hashtext ($2));

-- import_reserve_ids
-- (text, integer) returns (bigint)
select
  nextval(pg_get_serial_sequence($1::text, 'id')) as id
from
  generate_series(1, $2::int);

-- import_settings
-- () returns (text, text)
select
  set_config('statement_timeout', '0', true),
  set_config('enable_seqscan', 'off', true);
