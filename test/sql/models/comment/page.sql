-- comment_page_replies_names_details
-- (bigint, bigint, bigint, reader) returns (integer, text, text)
select
  a.top_level_count as total,
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
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          case
            when c.reply_count > 0 then (
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
                    c.created_at at time zone 'UTC',
                    nullif(c.updated_at, c.created_at) at time zone 'UTC'
                  )
                )
              from
                (
                  select
                    *
                  from
                    comments r
                  where
                    r.parent_id = c.id
                  order by
                    r.created_at,
                    r.id
                  limit
                    100
                ) c
            )
          end
        )
      )
    from
      (
        select
          c.*
        from
          comments c
        where
          $3::bigint < a.top_level_count
          and c.article_id = a.id
          and c.parent_id is null
          and (c.created_at, c.id) <= (
            select
              k.created_at,
              k.id
            from
              comments k
            where
              k.article_id = a.id
              and k.parent_id is null
            order by
              k.created_at desc,
              k.id desc
            limit
              1
            offset
              $3
          )
        order by
          c.created_at desc,
          c.id desc
        limit
          $2
      ) c
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = $1
  and can_read (a.is_private, a.member_id, v.r);

-- comment_page_replies_names_details_anonymous
-- (bigint, bigint, bigint, reader) returns (integer, text, text)
select
  a.top_level_count as total,
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
            sees_removed => false,
            is_hidden => c.is_hidden,
            sees_hidden => false,
            is_blocked => false
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
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          case
            when c.reply_count > 0 then (
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
                      sees_removed => false,
                      is_hidden => c.is_hidden,
                      sees_hidden => false,
                      is_blocked => false
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
                    c.created_at at time zone 'UTC',
                    nullif(c.updated_at, c.created_at) at time zone 'UTC'
                  )
                )
              from
                (
                  select
                    *
                  from
                    comments r
                  where
                    r.parent_id = c.id
                  order by
                    r.created_at,
                    r.id
                  limit
                    100
                ) c
            )
          end
        )
      )
    from
      (
        select
          c.*
        from
          comments c
        where
          $3::bigint < a.top_level_count
          and c.article_id = a.id
          and c.parent_id is null
          and (c.created_at, c.id) <= (
            select
              k.created_at,
              k.id
            from
              comments k
            where
              k.article_id = a.id
              and k.parent_id is null
            order by
              k.created_at desc,
              k.id desc
            limit
              1
            offset
              $3
          )
        order by
          c.created_at desc,
          c.id desc
        limit
          $2
      ) c
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = $1
  and not a.is_private;

-- comment_page_replies_names_details_asc
-- (bigint, bigint, bigint, reader) returns (integer, text, text)
select
  a.top_level_count as total,
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
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          case
            when c.reply_count > 0 then (
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
                    c.created_at at time zone 'UTC',
                    nullif(c.updated_at, c.created_at) at time zone 'UTC'
                  )
                )
              from
                (
                  select
                    *
                  from
                    comments r
                  where
                    r.parent_id = c.id
                  order by
                    r.created_at,
                    r.id
                  limit
                    100
                ) c
            )
          end
        )
      )
    from
      (
        select
          c.*
        from
          comments c
        where
          $3::bigint < a.top_level_count
          and c.article_id = a.id
          and c.parent_id is null
          and (c.created_at, c.id) >= (
            select
              k.created_at,
              k.id
            from
              comments k
            where
              k.article_id = a.id
              and k.parent_id is null
            order by
              k.created_at asc,
              k.id asc
            limit
              1
            offset
              $3
          )
        order by
          c.created_at asc,
          c.id asc
        limit
          $2
      ) c
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = $1
  and can_read (a.is_private, a.member_id, v.r);

-- comment_page_replies_names_details_moderator
-- (bigint, bigint, bigint, reader) returns (bigint, text, text)
select
  case
    when can_read (a.is_private, a.member_id, v.r) then a.top_level_count
    else (
      select
        count(*)
      from
        comments k
      where
        k.article_id = a.id
        and k.parent_id is null
        and (
          can_read (a.is_private, a.member_id, v.r)
          or k.updated_at <= a.private_at
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
          c.created_at at time zone 'UTC',
          nullif(c.updated_at, c.created_at) at time zone 'UTC',
          case
            when c.reply_count > 0 then (
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
                    c.created_at at time zone 'UTC',
                    nullif(c.updated_at, c.created_at) at time zone 'UTC'
                  )
                )
              from
                (
                  select
                    *
                  from
                    comments r
                  where
                    r.parent_id = c.id
                    and (
                      can_read (a.is_private, a.member_id, v.r)
                      or r.updated_at <= a.private_at
                    )
                  order by
                    r.created_at,
                    r.id
                  limit
                    100
                ) c
            )
          end
        )
      )
    from
      (
        select
          c.*
        from
          comments c
        where
          $3::bigint < a.top_level_count
          and c.article_id = a.id
          and c.parent_id is null
          and (
            can_read (a.is_private, a.member_id, v.r)
            or c.updated_at <= a.private_at
          )
          and (c.created_at, c.id) <= (
            select
              k.created_at,
              k.id
            from
              comments k
            where
              k.article_id = a.id
              and k.parent_id is null
              and (
                can_read (a.is_private, a.member_id, v.r)
                or k.updated_at <= a.private_at
              )
            order by
              k.created_at desc,
              k.id desc
            limit
              1
            offset
              $3
          )
        order by
          c.created_at desc,
          c.id desc
        limit
          $2
      ) c
  )::text as contents
from
  all_articles a
  cross join (
    select
      $4::reader as r
  ) v
where
  a.id = $1
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
