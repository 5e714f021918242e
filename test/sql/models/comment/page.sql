-- comment_page_replies_names_details
-- (bigint, bigint, bigint, bigint, bigint, bigint) returns (integer, text, text)
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
          end,
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
                    end,
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
      $4::bigint as id,
      $5::bigint as article_reader_id,
      $6::bigint as moderator_id
  ) v
where
  a.id = $1
  and (
    not a.is_private
    or a.member_id = v.article_reader_id
  );

-- comment_page_replies_names_details_anonymous
-- (bigint, bigint, bigint, bigint, bigint, bigint) returns (integer, text, text)
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
            and not false then '(removed)'
            when c.is_hidden
            and (v.id in (c.member_id, c.received_by)) is not true then '(hidden)'
            else c.content
          end,
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
                      and not false then '(removed)'
                      when c.is_hidden
                      and (v.id in (c.member_id, c.received_by)) is not true then '(hidden)'
                      else c.content
                    end,
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
      $4::bigint as id,
      $5::bigint as article_reader_id,
      $6::bigint as moderator_id
  ) v
where
  a.id = $1
  and (
    not a.is_private
    or a.member_id = 0
  );

-- comment_page_replies_names_details_asc
-- (bigint, bigint, bigint, bigint, bigint, bigint) returns (integer, text, text)
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
          end,
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
                    end,
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
      $4::bigint as id,
      $5::bigint as article_reader_id,
      $6::bigint as moderator_id
  ) v
where
  a.id = $1
  and (
    not a.is_private
    or a.member_id = v.article_reader_id
  );

-- comment_page_replies_names_details_moderator
-- (bigint, bigint, bigint, bigint, bigint, bigint) returns (bigint, text, text)
select
  case
    when (
      not a.is_private
      or a.member_id = v.article_reader_id
    ) then a.top_level_count
    else (
      select
        count(*)
      from
        comments k
      where
        k.article_id = a.id
        and k.parent_id is null
        and (
          (
            not a.is_private
            or a.member_id = v.article_reader_id
          )
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
          end,
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
                    end,
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
                      (
                        not a.is_private
                        or a.member_id = v.article_reader_id
                      )
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
            (
              not a.is_private
              or a.member_id = v.article_reader_id
            )
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
                (
                  not a.is_private
                  or a.member_id = v.article_reader_id
                )
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
      $4::bigint as id,
      $5::bigint as article_reader_id,
      $6::bigint as moderator_id
  ) v
where
  a.id = $1
  and (
    (
      not a.is_private
      or a.member_id = v.article_reader_id
    )
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
            o.id = v.moderator_id
        ),
        false
      )
    )
  );
