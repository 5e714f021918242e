-- heldFor, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    select
      count(*)
    from
      held_comments c
    where
      c.received_by = o.member_id
      and sees_held (c.member_id, c.received_by, v.r, false)
      and exists (
        select
        from
          all_articles a
        where
          a.id = c.article_id
          and can_read (a.is_private, a.member_id, v.r)
      )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.held_at is not null,
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      held_comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            held_comments c
          where
            c.received_by = o.member_id
            and sees_held (c.member_id, c.received_by, v.r, false)
            and exists (
              select
              from
                all_articles a
              where
                a.id = c.article_id
                and can_read (a.is_private, a.member_id, v.r)
            )
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $5::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- heldFor, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    select
      count(*)
    from
      held_comments c
    where
      c.received_by = o.member_id
      and sees_held (c.member_id, c.received_by, v.r, false)
      and exists (
        select
        from
          all_articles a
        where
          a.id = c.article_id
          and can_read (a.is_private, a.member_id, v.r)
      )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.held_at is not null,
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      held_comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            held_comments c
          where
            c.received_by = o.member_id
            and sees_held (c.member_id, c.received_by, v.r, false)
            and exists (
              select
              from
                all_articles a
              where
                a.id = c.article_id
                and can_read (a.is_private, a.member_id, v.r)
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                select
                  count(*)
                from
                  held_comments c
                where
                  c.received_by = o.member_id
                  and sees_held (c.member_id, c.received_by, v.r, false)
                  and exists (
                    select
                    from
                      all_articles a
                    where
                      a.id = c.article_id
                      and can_read (a.is_private, a.member_id, v.r)
                  )
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $4::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- hiddenOn, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  a.id as id,
  (
    select
      count(*)
    from
      comments c
    where
      c.article_id = a.id
      and c.is_hidden
      and c.deleted_at is null
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.is_hidden
            and c.deleted_at is null
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $5::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- hiddenOn, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  a.id as id,
  (
    select
      count(*)
    from
      comments c
    where
      c.article_id = a.id
      and c.is_hidden
      and c.deleted_at is null
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.is_hidden
            and c.deleted_at is null
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                select
                  count(*)
                from
                  comments c
                where
                  c.article_id = a.id
                  and c.is_hidden
                  and c.deleted_at is null
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- hiddenOn, page for a moderator
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  a.id as id,
  case
    when can_read (a.is_private, a.member_id, v.r) then (
      select
        count(*)
      from
        comments c
      where
        c.article_id = a.id
        and c.is_hidden
        and c.deleted_at is null
    )
    else (
      select
        count(*)
      from
        comments c
      where
        c.article_id = a.id
        and c.is_hidden
        and c.deleted_at is null
        and (
          can_read (a.is_private, a.member_id, v.r)
          or c.updated_at <= a.private_at
        )
    )
  end as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.is_hidden
            and c.deleted_at is null
            and (
              can_read (a.is_private, a.member_id, v.r)
              or c.updated_at <= a.private_at
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < case
                when can_read (a.is_private, a.member_id, v.r) then (
                  select
                    count(*)
                  from
                    comments c
                  where
                    c.article_id = a.id
                    and c.is_hidden
                    and c.deleted_at is null
                )
                else (
                  select
                    count(*)
                  from
                    comments c
                  where
                    c.article_id = a.id
                    and c.is_hidden
                    and c.deleted_at is null
                    and (
                      can_read (a.is_private, a.member_id, v.r)
                      or c.updated_at <= a.private_at
                    )
                )
              end then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and (
    can_read (a.is_private, a.member_id, v.r)
    or (
      a.removed_at is not null
      and a.private_revision is not null
      and coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = (v.r).moderator_id
        ),
        false
      )
    )
  );

-- ofArticle, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, integer, text, text)
select
  a.id as id,
  a.top_level_count as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.parent_id is null
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $5::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- ofArticle, page
-- (bigint[], integer, bigint, reader) returns (bigint, integer, text, text)
select
  a.id as id,
  a.top_level_count as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.parent_id is null
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < a.top_level_count then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- ofArticle, page for a moderator
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  a.id as id,
  case
    when can_read (a.is_private, a.member_id, v.r) then a.top_level_count
    else (
      select
        count(*)
      from
        comments c
      where
        c.article_id = a.id
        and c.parent_id is null
        and (
          can_read (a.is_private, a.member_id, v.r)
          or c.updated_at <= a.private_at
        )
    )
  end as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.parent_id is null
            and (
              can_read (a.is_private, a.member_id, v.r)
              or c.updated_at <= a.private_at
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < case
                when can_read (a.is_private, a.member_id, v.r) then a.top_level_count
                else (
                  select
                    count(*)
                  from
                    comments c
                  where
                    c.article_id = a.id
                    and c.parent_id is null
                    and (
                      can_read (a.is_private, a.member_id, v.r)
                      or c.updated_at <= a.private_at
                    )
                )
              end then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and (
    can_read (a.is_private, a.member_id, v.r)
    or (
      a.removed_at is not null
      and a.private_revision is not null
      and coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = (v.r).moderator_id
        ),
        false
      )
    )
  );

-- ofArticleOldestFirst, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, integer, text, text)
select
  a.id as id,
  a.top_level_count as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at asc,
          c.id asc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.parent_id is null
            and (c.created_at, c.id) > ($2::timestamptz, $3::bigint)
          order by
            c.created_at asc,
            c.id asc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $5::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- ofArticleOldestFirst, page
-- (bigint[], integer, bigint, reader) returns (bigint, integer, text, text)
select
  a.id as id,
  a.top_level_count as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at asc,
          c.id asc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.article_id = a.id
            and c.parent_id is null
          order by
            c.created_at asc,
            c.id asc
          limit
            case
              when $3::bigint < a.top_level_count then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- receivedBy, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.received - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.received_by = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.received_by = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $5::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- receivedBy, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.received - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.received_by = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.received_by = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                o.received - case
                  when exists (
                    select
                    from
                      ended_articles e
                    where
                      e.is_deleted
                  ) then (
                    select
                      count(*)
                    from
                      comments c
                    where
                      c.received_by = o.member_id
                      and c.article_id in (
                        select
                          e.article_id
                        from
                          ended_articles e
                        where
                          e.is_deleted
                      )
                  )
                  else 0
                end
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $4::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- receivedOnPublic, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.received - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.received_by = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end - (
      select
        count(*)
      from
        all_articles p
        join comments r on r.article_id = p.id
      where
        p.member_id = o.member_id
        and p.is_private
        and r.received_by = o.member_id
    )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.received_by = o.member_id
            and exists (
              select
              from
                articles p
              where
                p.id = c.article_id
            )
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $5::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- receivedOnPublic, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.received - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.received_by = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end - (
      select
        count(*)
      from
        all_articles p
        join comments r on r.article_id = p.id
      where
        p.member_id = o.member_id
        and p.is_private
        and r.received_by = o.member_id
    )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.received_by = o.member_id
            and exists (
              select
              from
                articles p
              where
                p.id = c.article_id
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                o.received - case
                  when exists (
                    select
                    from
                      ended_articles e
                    where
                      e.is_deleted
                  ) then (
                    select
                      count(*)
                    from
                      comments c
                    where
                      c.received_by = o.member_id
                      and c.article_id in (
                        select
                          e.article_id
                        from
                          ended_articles e
                        where
                          e.is_deleted
                      )
                  )
                  else 0
                end - (
                  select
                    count(*)
                  from
                    all_articles p
                    join comments r on r.article_id = p.id
                  where
                    p.member_id = o.member_id
                    and p.is_private
                    and r.received_by = o.member_id
                )
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $4::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- repliesTo, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, integer, text, text)
select
  o.id as id,
  o.reply_count as total,
  (
    coalesce(
      extract(
        epoch
        from
          coalesce(a.discussed_at - 'epoch', '0') + coalesce(
            (
              select
                changed_at
              from
                name_stamps
            ) - 'epoch',
            '0'
          )
      )::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          a.discussed_at,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at asc,
          c.id asc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.parent_id = o.id
            and (c.created_at, c.id) > ($2::timestamptz, $3::bigint)
          order by
            c.created_at asc,
            c.id asc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  comments o
  join all_articles a on a.id = o.article_id
  cross join (
    select
      $5::reader as r
  ) v
where
  o.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- repliesTo, page
-- (bigint[], integer, bigint, reader) returns (bigint, integer, text, text)
select
  o.id as id,
  o.reply_count as total,
  (
    coalesce(
      extract(
        epoch
        from
          coalesce(a.discussed_at - 'epoch', '0') + coalesce(
            (
              select
                changed_at
              from
                name_stamps
            ) - 'epoch',
            '0'
          )
      )::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          a.discussed_at,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at asc,
          c.id asc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.parent_id = o.id
          order by
            c.created_at asc,
            c.id asc
          limit
            case
              when $3::bigint < o.reply_count then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  comments o
  join all_articles a on a.id = o.article_id
  cross join (
    select
      $4::reader as r
  ) v
where
  o.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, v.r);

-- repliesTo, page for a moderator
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.id as id,
  case
    when can_read (a.is_private, a.member_id, v.r) then o.reply_count
    else (
      select
        count(*)
      from
        comments c
      where
        c.parent_id = o.id
        and (
          can_read (a.is_private, a.member_id, v.r)
          or c.updated_at <= a.private_at
        )
    )
  end as total,
  (
    coalesce(
      extract(
        epoch
        from
          coalesce(a.discussed_at - 'epoch', '0') + coalesce(
            (
              select
                changed_at
              from
                name_stamps
            ) - 'epoch',
            '0'
          )
      )::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          a.discussed_at,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at asc,
          c.id asc
      )
    from
      comments c
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.parent_id = o.id
            and (
              can_read (a.is_private, a.member_id, v.r)
              or c.updated_at <= a.private_at
            )
          order by
            c.created_at asc,
            c.id asc
          limit
            case
              when $3::bigint < case
                when can_read (a.is_private, a.member_id, v.r) then o.reply_count
                else (
                  select
                    count(*)
                  from
                    comments c
                  where
                    c.parent_id = o.id
                    and (
                      can_read (a.is_private, a.member_id, v.r)
                      or c.updated_at <= a.private_at
                    )
                )
              end then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  comments o
  join all_articles a on a.id = o.article_id
  cross join (
    select
      $4::reader as r
  ) v
where
  o.id = any ($1::bigint[])
  and (
    can_read (a.is_private, a.member_id, v.r)
    or (
      a.removed_at is not null
      and a.private_revision is not null
      and coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = (v.r).moderator_id
        ),
        false
      )
    )
  )
  and (
    can_read (a.is_private, a.member_id, v.r)
    or o.updated_at <= a.private_at
  );

-- shownBy, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.comments - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.member_id = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.member_id = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $5::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- shownBy, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.comments - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.member_id = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.deleted_at is not null
          and exists (
            select
            from
              held_comments h
            where
              h.id = c.id
          ),
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            comments c
          where
            c.member_id = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                o.comments - case
                  when exists (
                    select
                    from
                      ended_articles e
                    where
                      e.is_deleted
                  ) then (
                    select
                      count(*)
                    from
                      comments c
                    where
                      c.member_id = o.member_id
                      and c.article_id in (
                        select
                          e.article_id
                        from
                          ended_articles e
                        where
                          e.is_deleted
                      )
                  )
                  else 0
                end
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $4::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- writtenBy, connection of several
-- (bigint[], timestamp with time zone, bigint, integer, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.comments - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.member_id = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end + (
      select
        count(*)
      from
        held_comments h
      where
        h.member_id = o.member_id
    )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.held_at is not null,
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      all_comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            all_comments c
          where
            c.member_id = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
            and (c.created_at, c.id) < ($2::timestamptz, $3::bigint)
          order by
            c.created_at desc,
            c.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $5::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;

-- writtenBy, page
-- (bigint[], integer, bigint, reader) returns (bigint, bigint, text, text)
select
  o.member_id as id,
  (
    o.comments - case
      when exists (
        select
        from
          ended_articles e
        where
          e.is_deleted
      ) then (
        select
          count(*)
        from
          comments c
        where
          c.member_id = o.member_id
          and c.article_id in (
            select
              e.article_id
            from
              ended_articles e
            where
              e.is_deleted
          )
      )
      else 0
    end + (
      select
        count(*)
      from
        held_comments h
      where
        h.member_id = o.member_id
    )
  ) as total,
  null as stamp,
  (
    select
      json_agg(
        json_build_array(
          c.id,
          comment_content (
            content => c.content,
            is_deleted => c.deleted_at is not null,
            is_place_of_held => c.deleted_at is not null
            and exists (
              select
              from
                held_comments h
              where
                h.id = c.id
            ),
            is_removed => c.removed_at is not null,
            sees_removed => (
              coalesce((v.r).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).moderator_id
                ),
                false
              )
            ),
            is_hidden => c.is_hidden,
            sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
            is_blocked => (
              (
                (v.r).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
                  limit
                    1
                ) is not null
              )
              and not coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = (v.r).viewer_id
                ),
                false
              )
            )
          ),
          case
            when c.member_id in (
              select
                w.id
              from
                withdrawn_members w
            ) then 0
            else coalesce(c.member_id, 0)
          end,
          case
            when c.deleted_at is not null then case
              when c.deleted_at is not null
              and exists (
                select
                from
                  held_comments h
                where
                  h.id = c.id
              ) then '(held)'
              else '(deleted)'
            end
            else coalesce(
              (
                select
                  m.nickname
                from
                  members m
                where
                  m.id = c.member_id
              ),
              '(withdrawn)'
            )
          end,
          a.id,
          c.is_hidden
          and c.deleted_at is null,
          c.held_at is not null,
          c.removed_at is not null
          and c.deleted_at is null,
          c.revision,
          c.parent_id,
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          (
            extract(
              epoch
              from
                c.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          c.created_at desc,
          c.id desc
      )
    from
      all_comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = any (
        array(
          select
            c.id
          from
            all_comments c
          where
            c.member_id = o.member_id
            and not c.article_id in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
          order by
            c.created_at desc,
            c.id desc
          limit
            case
              when $3::bigint < (
                o.comments - case
                  when exists (
                    select
                    from
                      ended_articles e
                    where
                      e.is_deleted
                  ) then (
                    select
                      count(*)
                    from
                      comments c
                    where
                      c.member_id = o.member_id
                      and c.article_id in (
                        select
                          e.article_id
                        from
                          ended_articles e
                        where
                          e.is_deleted
                      )
                  )
                  else 0
                end + (
                  select
                    count(*)
                  from
                    held_comments h
                  where
                    h.member_id = o.member_id
                )
              ) then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  member_counts o
  cross join (
    select
      $4::reader as r
  ) v
where
  o.member_id = any ($1::bigint[])
  and true;
