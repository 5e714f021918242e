-- add_link_request
-- (text, character varying, text, text) returns (uuid)
insert into
  link_requests (purpose, email, address, device)
values
  ($1, $2, $3, $4)
returning
  id;

-- add_one_time_token
-- (bytea, bigint, text, character varying, bigint) returns ()
with
  expired as (
    delete from one_time_tokens
    where
      id = any (
        array(
          select
            id
          from
            one_time_tokens
          where
            expires_at < now()
            and member_id <> $2
          order by
            expires_at
          limit
            100
          for update
            skip locked
        )
      )
  )
insert into
  one_time_tokens (token_hash, member_id, purpose, email, expires_at, was_confirmed)
values
  (
    $1,
    $2,
    $3,
    $4,
    now() + $5::bigint * interval '1 ms',
    coalesce(
      (
        select
          email_verified_at is not null
        from
          members
        where
          id = $2
      ),
      false
    )
  )
on conflict (member_id, purpose)
where
  purpose <> 'undo' do update
set
  token_hash = excluded.token_hash,
  email = excluded.email,
  created_at = now(),
  expires_at = excluded.expires_at;

-- member_of_link_request
-- (uuid) returns (bigint)
select
  m.id as "memberId"
from
  link_requests r
  join members m on lower(m.email::text collate "C") = lower(r.email::text collate "C")
where
  r.id = $1;

-- owner_of_email
-- (text) returns (bigint, boolean)
select
  id,
  email_verified_at is null as "isUnproven"
from
  members
where
  lower(email::text collate "C") = lower($1::text collate "C")
union all
select
  member_id,
  false
from
  one_time_tokens
where
  purpose = 'undo'
  and lower(email::text collate "C") = lower($1::text collate "C")
  and expires_at > now()
limit
  1;

-- register_again
-- (bigint, boolean, bytea, bigint) returns (bigint)
with
  again as (
    update members
    set
      registered_again = true
    where
      id = $1
      and email is not null
      and email_verified_at is null
    returning
      id,
      email
  ),
  renewed as (
    insert into
      one_time_tokens (token_hash, member_id, purpose, email, expires_at)
    select
      $3,
      id,
      'confirm',
      email,
      now() + $4::bigint * interval '1 ms'
    from
      again
    where
      $2::boolean
    on conflict (member_id, purpose)
    where
      purpose <> 'undo' do update
    set
      token_hash = excluded.token_hash,
      email = excluded.email,
      created_at = now(),
      expires_at = excluded.expires_at
  )
select
  id as "memberId"
from
  again;

-- renew_change_token
-- (text, bytea) returns (bigint, character varying, character varying)
update one_time_tokens
set
  token_hash = $2
where
  id = (
    select
      id
    from
      one_time_tokens
    where
      purpose = 'change'
      and lower(email::text collate "C") = lower($1::text collate "C")
      and expires_at > now()
    order by
      created_at desc,
      id desc
    limit
      1
    for update
  )
returning
  member_id as "memberId",
  email,
  (
    select
      nickname
    from
      members
    where
      id = member_id
  ) as nickname;

-- supersede_tokens
-- (bigint, bigint) returns ()
delete from one_time_tokens
where
  member_id = $1
  and (
    purpose <> 'undo'
    or id > $2
  );

-- take_link_request
-- (uuid) returns (text, character varying, text, text)
with
  lost as (
    delete from link_requests
    where
      created_at < now() - interval '1 day'
      and id <> $1
  )
delete from link_requests
where
  id = $1
returning
  purpose,
  email,
  address,
  device;

-- use_one_time_token
-- (bytea, text[]) returns (bigint, text, character varying, boolean)
delete from one_time_tokens
where
  token_hash = $1
  and purpose = any ($2::text[])
  and expires_at > now()
returning
  id,
  purpose,
  email,
  was_confirmed as "wasConfirmed";

-- valid_one_time_token
-- (bytea, text[]) returns (bigint)
select
  member_id as "memberId"
from
  one_time_tokens
where
  token_hash = $1
  and purpose = any ($2::text[])
  and expires_at > now();
