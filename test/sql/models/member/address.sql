-- stored_address
-- (text[]) returns (character varying)
select
  email
from
  (
    select
      email
    from
      members
    where
      lower(email::text collate "C") = any ($1::text[])
    union all
    select
      email
    from
      one_time_tokens
    where
      purpose in ('change', 'undo')
      and lower(email::text collate "C") = any ($1::text[])
      and expires_at > now()
  ) known
order by
  array_position($1::text[], lower(email::text collate "C"))
limit
  1;
