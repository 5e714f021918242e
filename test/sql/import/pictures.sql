-- import_find_picture
-- (text, text) returns (bigint, text, integer, integer)
select
  i.id,
  i.key,
  i.width,
  i.height
from
  imported_records r
  join images i on i.id = r.row_id
where
  r.source = $1
  and r.kind = 'image'
  and r.key = $2;

-- import_record_picture
-- (text, text, bigint) returns ()
insert into
  imported_records (source, kind, key, row_id)
values
  ($1, 'image', $2, $3)
on conflict (source, kind, key) do update
set
  row_id = excluded.row_id;

-- import_set_profile_image
-- (text, text, bigint, text, integer) returns ()
with
  recorded as (
    insert into
      imported_records (source, kind, key, row_id)
    values
      ($1, 'member', $2, $3)
    on conflict do nothing
    returning
      row_id
  )
update members
set
  profile_image = $4,
  profile_image_side = $5
where
  id = (
    select
      row_id
    from
      recorded
  )
  and profile_image is null;
