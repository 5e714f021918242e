-- comment_positions
-- (bigint[], bigint, bigint) returns (bigint, bigint)
select
  c.id,
  (
    select
      count(*)
    from
      comments k
    where
      k.article_id = c.article_id
      and k.parent_id is null
      and (k.created_at, k.id) > (
        select
          p.created_at,
          p.id
        from
          comments p
        where
          p.id = coalesce(c.parent_id, c.id)
      )
  ) as before
from
  comments c
  cross join (
    select
      null::bigint as id,
      $2::bigint as article_reader_id,
      $3::bigint as moderator_id
  ) v
  join all_articles a on a.id = c.article_id
  and (
    (
      not a.is_private
      or a.member_id = v.article_reader_id
    )
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
              o.id = v.moderator_id
          ),
          false
        )
      )
    )
  )
where
  c.id = any ($1::bigint[]);

-- comment_positions_moderator
-- (bigint[], bigint, bigint) returns (bigint, bigint)
select
  c.id,
  (
    select
      count(*)
    from
      comments k
    where
      k.article_id = c.article_id
      and k.parent_id is null
      and (k.created_at, k.id) > (
        select
          p.created_at,
          p.id
        from
          comments p
        where
          p.id = coalesce(c.parent_id, c.id)
      )
      and (
        (
          not a.is_private
          or a.member_id = v.article_reader_id
        )
        or k.updated_at <= a.private_at
      )
  ) as before
from
  comments c
  cross join (
    select
      null::bigint as id,
      $2::bigint as article_reader_id,
      $3::bigint as moderator_id
  ) v
  join all_articles a on a.id = c.article_id
  and (
    (
      not a.is_private
      or a.member_id = v.article_reader_id
    )
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
              o.id = v.moderator_id
          ),
          false
        )
      )
    )
  )
where
  c.id = any ($1::bigint[]);

-- comment_with_position
-- (bigint, bigint, boolean, bigint, bigint) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, text, bigint)
select
  c.id as "id",
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
    when c.removed_at is not null
    and not (
      coalesce(v.id = c.member_id, false)
      or coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = v.moderator_id
        ),
        false
      )
    ) then '(removed)'
    when c.is_hidden
    and (v.id in (c.member_id, c.received_by)) is not true then '(hidden)'
    when (
      (
        v.id > 0
        and (
          select
            true
          from
            blocks b
          where
            least(b.member_id, b.blocked_id) = least(v.id, c.member_id)
            and greatest(b.member_id, b.blocked_id) = greatest(v.id, c.member_id)
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
            o.id = v.id
        ),
        false
      )
    ) then '(blocked)'
    else c.content
  end as "content",
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
        k.article_id = c.article_id
        and k.parent_id is null
        and (k.created_at, k.id) > (
          select
            p.created_at,
            p.id
          from
            comments p
          where
            p.id = coalesce(c.parent_id, c.id)
        )
    )
  end as before
from
  comments c
  cross join (
    select
      $2::bigint as id,
      $4::bigint as article_reader_id,
      $5::bigint as moderator_id
  ) v
  join all_articles a on a.id = c.article_id
  and (
    (
      not a.is_private
      or a.member_id = v.article_reader_id
    )
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
              o.id = v.moderator_id
          ),
          false
        )
      )
    )
  )
where
  c.id = $1;

-- comment_with_position_moderator
-- (bigint, bigint, boolean, bigint, bigint) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, text, bigint)
select
  c.id as "id",
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
    when c.removed_at is not null
    and not (
      coalesce(v.id = c.member_id, false)
      or coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = v.moderator_id
        ),
        false
      )
    ) then '(removed)'
    when c.is_hidden
    and (v.id in (c.member_id, c.received_by)) is not true then '(hidden)'
    when (
      (
        v.id > 0
        and (
          select
            true
          from
            blocks b
          where
            least(b.member_id, b.blocked_id) = least(v.id, c.member_id)
            and greatest(b.member_id, b.blocked_id) = greatest(v.id, c.member_id)
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
            o.id = v.id
        ),
        false
      )
    ) then '(blocked)'
    else c.content
  end as "content",
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
        k.article_id = c.article_id
        and k.parent_id is null
        and (k.created_at, k.id) > (
          select
            p.created_at,
            p.id
          from
            comments p
          where
            p.id = coalesce(c.parent_id, c.id)
        )
        and (
          (
            not a.is_private
            or a.member_id = v.article_reader_id
          )
          or k.updated_at <= a.private_at
        )
    )
  end as before
from
  comments c
  cross join (
    select
      $2::bigint as id,
      $4::bigint as article_reader_id,
      $5::bigint as moderator_id
  ) v
  join all_articles a on a.id = c.article_id
  and (
    (
      not a.is_private
      or a.member_id = v.article_reader_id
    )
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
              o.id = v.moderator_id
          ),
          false
        )
      )
    )
  )
where
  c.id = $1;
