-- comment_positions
-- (bigint[], reader) returns (bigint, bigint)
select
  p.comment_id as id,
  (
    sum(
      (
        select
          count(*)
        from
          comments k
        where
          k.article_id = a.id
          and k.parent_id is null
          and (k.created_at, k.id) > (p.created_at, p.id)
          and (k.created_at, k.id) <= (p.last_at, p.last_id)
      )
    ) over (
      partition by
        a.id
      order by
        p.created_at desc,
        p.id desc
    )
  )::bigint as before
from
  (
    select
      p.id,
      p.article_id,
      p.created_at,
      c.id as comment_id,
      lag(p.created_at, 1, 'infinity') over places as last_at,
      lag(p.id, 1, 0) over places as last_id
    from
      comments c
      cross join (
        select
          $2::reader as r
      ) v
      join all_articles a on a.id = c.article_id
      and (
        can_read (a.is_private, a.member_id, v.r)
        or (
          c.updated_at <= a.private_at
          and (
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
      )
      join comments p on p.id = coalesce(c.parent_id, c.id)
    where
      c.id = any ($1::bigint[])
    window
      places as (
        partition by
          p.article_id
        order by
          p.created_at desc,
          p.id desc
      )
  ) p
  join all_articles a on a.id = p.article_id
  cross join (
    select
      $2::reader as r
  ) v;

-- comment_positions_moderator
-- (bigint[], reader) returns (bigint, bigint)
select
  p.comment_id as id,
  (
    sum(
      case
        when can_read (a.is_private, a.member_id, v.r) then (
          select
            count(*)
          from
            comments k
          where
            k.article_id = a.id
            and k.parent_id is null
            and (k.created_at, k.id) > (p.created_at, p.id)
            and (k.created_at, k.id) <= (p.last_at, p.last_id)
        )
        else (
          select
            count(*)
          from
            comments k
          where
            k.article_id = a.id
            and k.parent_id is null
            and (k.created_at, k.id) > (p.created_at, p.id)
            and (k.created_at, k.id) <= (p.last_at, p.last_id)
            and (
              can_read (a.is_private, a.member_id, v.r)
              or k.updated_at <= a.private_at
            )
        )
      end
    ) over (
      partition by
        a.id
      order by
        p.created_at desc,
        p.id desc
    )
  )::bigint as before
from
  (
    select
      p.id,
      p.article_id,
      p.created_at,
      c.id as comment_id,
      lag(p.created_at, 1, 'infinity') over places as last_at,
      lag(p.id, 1, 0) over places as last_id
    from
      comments c
      cross join (
        select
          $2::reader as r
      ) v
      join all_articles a on a.id = c.article_id
      and (
        can_read (a.is_private, a.member_id, v.r)
        or (
          c.updated_at <= a.private_at
          and (
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
      )
      join comments p on p.id = coalesce(c.parent_id, c.id)
    where
      c.id = any ($1::bigint[])
    window
      places as (
        partition by
          p.article_id
        order by
          p.created_at desc,
          p.id desc
      )
  ) p
  join all_articles a on a.id = p.article_id
  cross join (
    select
      $2::reader as r
  ) v;

-- comment_with_position
-- (bigint, reader, boolean) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, text, bigint)
select
  c.id as "id",
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
  ) as "content",
  case
    when c.member_id in (
      select
        w.id
      from
        withdrawn_members w
    ) then 0
    else coalesce(c.member_id, 0)
  end as "memberId",
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
  end as "authorName",
  a.id as "articleId",
  c.is_hidden
  and c.deleted_at is null as "hidden",
  c.deleted_at is not null
  and exists (
    select
    from
      held_comments h
    where
      h.id = c.id
  ) as "held",
  c.removed_at is not null
  and c.deleted_at is null as "removed",
  c.revision as "revision",
  c.parent_id as "parentId",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt",
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
  case
    when $3
    and a.top_level_count <= 20000 then (
      select
        count(*)
      from
        comments k
      where
        k.article_id = a.id
        and k.parent_id is null
        and (k.created_at, k.id) > (p.created_at, p.id)
    )
  end as before
from
  comments c
  cross join (
    select
      $2::reader as r
  ) v
  join all_articles a on a.id = c.article_id
  and (
    can_read (a.is_private, a.member_id, v.r)
    or (
      c.updated_at <= a.private_at
      and (
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
  )
  join comments p on p.id = coalesce(c.parent_id, c.id)
where
  c.id = $1;

-- comment_with_position_moderator
-- (bigint, reader, boolean) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, text, bigint)
select
  c.id as "id",
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
  ) as "content",
  case
    when c.member_id in (
      select
        w.id
      from
        withdrawn_members w
    ) then 0
    else coalesce(c.member_id, 0)
  end as "memberId",
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
  end as "authorName",
  a.id as "articleId",
  c.is_hidden
  and c.deleted_at is null as "hidden",
  c.deleted_at is not null
  and exists (
    select
    from
      held_comments h
    where
      h.id = c.id
  ) as "held",
  c.removed_at is not null
  and c.deleted_at is null as "removed",
  c.revision as "revision",
  c.parent_id as "parentId",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt",
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
  case
    when $3
    and a.top_level_count <= 20000 then case
      when can_read (a.is_private, a.member_id, v.r) then (
        select
          count(*)
        from
          comments k
        where
          k.article_id = a.id
          and k.parent_id is null
          and (k.created_at, k.id) > (p.created_at, p.id)
      )
      else (
        select
          count(*)
        from
          comments k
        where
          k.article_id = a.id
          and k.parent_id is null
          and (k.created_at, k.id) > (p.created_at, p.id)
          and (
            can_read (a.is_private, a.member_id, v.r)
            or k.updated_at <= a.private_at
          )
      )
    end
  end as before
from
  comments c
  cross join (
    select
      $2::reader as r
  ) v
  join all_articles a on a.id = c.article_id
  and (
    can_read (a.is_private, a.member_id, v.r)
    or (
      c.updated_at <= a.private_at
      and (
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
  )
  join comments p on p.id = coalesce(c.parent_id, c.id)
where
  c.id = $1;
