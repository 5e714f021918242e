-- claim_articles
-- (bigint, bigint) returns (bigint)
update all_articles a
set
  member_id = $2,
  category_id = coalesce(
    (
      select
        o.id
      from
        categories o,
        categories c
      where
        c.id = a.category_id
        and not c.is_default
        and o.member_id = $2
        and lower(o.name) = lower(c.name)
    ),
    (
      select
        id
      from
        categories
      where
        member_id = $2
        and is_default
    )
  )
where
  a.member_id = $1
returning
  a.id;

-- claim_blocks
-- (bigint, bigint) returns ()
with
  claimed as (
    insert into
      blocks (member_id, blocked_id, created_at)
    select
      member_id,
      $2::bigint,
      created_at
    from
      blocks
    where
      blocked_id = $1
      and member_id <> $2
    on conflict do nothing
    returning
      member_id
  )
delete from follows f using claimed c
where
  (f.follower_id, f.member_id) in ((c.member_id, $2), ($2, c.member_id));

-- claim_categories
-- (bigint, bigint, bigint) returns ()
insert into
  categories (member_id, name)
select
  $2,
  c.name
from
  categories c
where
  c.member_id = $1
  and not c.is_default
  and (
    exists (
      select
      from
        all_articles a
      where
        a.category_id = c.id
    )
    or exists (
      select
      from
        drafts d
      where
        d.category_id = c.id
    )
  )
  and not exists (
    select
    from
      categories o
    where
      o.member_id = $2
      and lower(o.name) = lower(c.name)
  )
order by
  c.id
limit
  greatest(
    0,
    $3 - (
      select
        count(*)
      from
        categories
      where
        member_id = $2
        and not is_default
    )
  );

-- claim_comments
-- (bigint, bigint) returns (integer)
with
  claimed as (
    update comments
    set
      member_id = $2,
      received_by = nullif(received_by, $2)
    where
      member_id = $1
    returning
      id
  ),
  received_from_self as (
    select
      count(*)::integer as received
    from
      comments
    where
      member_id = $1
      and received_by = $2
  ),
  counted as (
    select
      count(*)::integer as comments
    from
      claimed
  ),
  updated as (
    update member_counts c
    set
      comments = c.comments + case c.member_id
        when $2 then n.comments
        else - n.comments
      end,
      received = c.received - case c.member_id
        when $2 then o.received
        else 0
      end
    from
      counted n,
      received_from_self o
    where
      c.member_id in ($1, $2)
  )
select
  comments
from
  counted;

-- claim_decisions
-- (bigint, bigint) returns ()
update decisions
set
  member_id = $2
where
  member_id = $1;

-- claim_drafts
-- (bigint, bigint) returns (bigint)
with
  counted as (
    insert into
      draft_counts as c (member_id, drafts, bytes)
    select
      $2,
      drafts,
      bytes
    from
      draft_counts
    where
      member_id = $1
    on conflict (member_id) do update
    set
      drafts = c.drafts + excluded.drafts,
      bytes = c.bytes + excluded.bytes
  )
update drafts d
set
  member_id = $2,
  category_id = (
    select
      o.id
    from
      categories o,
      categories c
    where
      c.id = d.category_id
      and o.member_id = $2
      and lower(o.name) = lower(c.name)
  )
where
  d.member_id = $1
returning
  d.id;

-- claim_followers
-- (bigint, bigint) returns ()
insert into
  follows (follower_id, member_id, created_at)
select
  follower_id,
  $2,
  created_at
from
  follows
where
  member_id = $1
  and follower_id <> $2
  and not (
    $2::bigint > 0
    and (
      select
        true
      from
        blocks b
      where
        least(b.member_id, b.blocked_id) = least($2::bigint, follower_id)
        and greatest(b.member_id, b.blocked_id) = greatest($2::bigint, follower_id)
      limit
        1
    ) is not null
  )
on conflict do nothing;

-- claim_images
-- (bigint, bigint) returns ()
update images
set
  member_id = $2
where
  member_id = $1;

-- claim_import_records
-- (bigint, bigint) returns ()
update imported_records
set
  row_id = $2
where
  kind = 'member'
  and row_id = $1;

-- claim_mentions
-- (bigint, bigint) returns ()
insert into
  article_mentions (article_id, member_id, names, is_notified)
select
  article_id,
  $2,
  names,
  is_notified
from
  article_mentions
where
  member_id = $1
on conflict do nothing;

-- claim_series
-- (bigint, bigint) returns (bigint)
with
  claimed as (
    update series
    set
      member_id = $2
    where
      member_id = $1
    returning
      id
  )
select
  (
    select
      count(*)
    from
      claimed
  ) + (
    select
      count(*)
    from
      series
    where
      member_id = $2
  ) as total;

-- claim_translations
-- (bigint, bigint) returns ()
update translation_groups g
set
  member_id = $2,
  key = case
    when exists (
      select
      from
        translation_groups o
      where
        o.member_id = $2
        and o.key = g.key
    ) then gen_random_uuid()::text
    else g.key
  end
where
  g.member_id = $1;

-- delete_import_record
-- (bigint) returns ()
delete from imported_records
where
  kind = 'member'
  and row_id = $1;

-- lock_claim
-- (bigint, bigint) returns (boolean)
select
  m.id = $2
  or (
    m.email is null
    and m.password_hash is null
    and not exists (
      select
      from
        social_links
      where
        member_id = m.id
    )
    and not exists (
      select
      from
        passkeys
      where
        member_id = m.id
    )
  ) as "isReady"
from
  members m
where
  m.id in ($1, $2)
order by
  m.id
for update;

-- show_claiming_member
-- (bigint) returns ()
update members
set
  pending_since = null
where
  id = $1
  and pending_since is not null;
