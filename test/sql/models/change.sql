-- delete_old_removals
-- (double precision, integer) returns (integer)
select
  delete_old_removals ($1 * interval '1 millisecond', $2) as deleted;

-- number_changes
-- (integer) returns (integer)
select
  number_changes ($1) as taken;

-- read_changes
-- (bigint, boolean, bigint, text[], bigint) returns (text, bigint, bigint, boolean, text, json)
select
  coalesce(f.generation, '000000000000') || left(pg_walfile_name(pg_current_wal_lsn()), 8) as generation,
  coalesce(f.highest, 0) as highest,
  coalesce(f.expired, 0) as expired,
  coalesce(f.is_ready, true) as "isReady",
  (
    select
      (
        coalesce(coalesce(f.generation, '000000000000') || left(pg_walfile_name(pg_current_wal_lsn()), 8)::text, '') || '.' || coalesce(f.highest::text, '') || '.' || coalesce(f.expired::text, '') || '.' || coalesce(
          (
            extract(
              epoch
              from
                (
                  select
                    changed_at
                  from
                    name_stamps
                )
            ) * 1000000
          )::bigint::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest('epoch', timestamptz 'infinity')
        ) || ' ' || extract(
          epoch
          from
            clock_timestamp()
        )
      )
    from
      (
        select
      ) o
      left join change_feed f on true
    where
      not exists (
        select
        from
          (
            select
              *
            from
              change_log
            order by
              id
            limit
              100
          ) l
        where
          l.type not in ('article', 'comment')
          or exists (
            select
            from
              articles a
            where
              a.id = coalesce(l.article_id, l.object_id)
          )
          or exists (
            select
            from
              changes c
            where
              c.type = 'article'
              and c.id = coalesce(l.article_id, l.object_id)
              and not c.is_removed
          )
      )
  ) as stamp,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'number',
            p.number,
            'kind',
            p.kind,
            'type',
            c.type,
            'id',
            c.id,
            'articleId',
            c.article_id,
            'parentId',
            c.parent_id,
            'slug',
            c.slug,
            'isRemoved',
            c.is_removed,
            'lostComments',
            c.lost_comments,
            'current',
            case
              when p.kind <> 'comments'
              and not c.is_removed then case c.type
                when 'article' then (
                  select
                    json_build_object('slug', a.slug, 'revision', a.revision, 'bytes', octet_length(a.content))
                  from
                    articles a
                  where
                    a.id = c.id
                )
                when 'comment' then (
                  select
                    json_build_object('revision', m.revision)
                  from
                    comments m
                    join articles a on a.id = m.article_id
                    join changes o on o.type = 'article'
                    and o.id = a.id
                    and not o.is_removed
                  where
                    m.id = c.id
                    and p.number > coalesce(o.comments_number, 0)
                )
                when 'member' then (
                  select
                    json_build_object()
                  from
                    members m
                  where
                    m.id = c.id
                    and not (
                      pending_since is not null
                      and email_verified_at is null
                    )
                )
                when 'category' then (
                  select
                    json_build_object()
                  from
                    categories k
                    join members m on m.id = k.member_id
                  where
                    k.id = c.id
                    and not (
                      pending_since is not null
                      and email_verified_at is null
                    )
                )
                when 'series' then (
                  select
                    json_build_object()
                  from
                    series s
                  where
                    s.id = c.id
                )
              end
            end,
            'changedAt',
            case p.kind
              when 'created' then c.created_at
              when 'comments' then c.comments_at
              else c.changed_at
            end at time zone 'UTC'
          )
          order by
            p.number
        ),
        '[]'
      )
    from
      (
        select
          *
        from
          (
            select
              s.*
            from
              unnest($4::text[]) t (type)
              cross join lateral (
                (
                  select
                    'created' as kind,
                    created_number as number,
                    type,
                    id
                  from
                    changes
                  where
                    type = t.type
                    and created_number > $1
                    and not is_removed
                  order by
                    created_number
                  limit
                    $5
                )
                union all
                (
                  select
                    'latest',
                    number,
                    type,
                    id
                  from
                    changes
                  where
                    type = t.type
                    and number > greatest($1, coalesce($3, f.highest))
                  order by
                    number
                  limit
                    $5
                )
              ) s
            union all
            (
              select
                'comments',
                comments_number,
                type,
                id
              from
                changes
              where
                'comment' = any ($4)
                and comments_number >= case
                  when $2 then $1
                  else $1 + 1
                end
                and not is_removed
              order by
                comments_number
              limit
                $5
            )
          ) m
        order by
          number
        limit
          $5
      ) p
      cross join lateral (
        select
          *
        from
          changes
        where
          type = p.type
          and id = p.id
        offset
          0
      ) c
  ) as places
from
  (
    select
  ) one
  left join change_feed f on true;

-- read_comments_of_change
-- (bigint, bigint, bigint, bigint, bigint) returns (bigint, bigint, integer, bigint, boolean)
select
  m.id,
  m.parent_id as "parentId",
  m.revision,
  (
    extract(
      epoch
      from
        m.created_at
    ) * 1000
  )::bigint as "createdMs",
  coalesce(
    (
      select
        c.created_number
      from
        changes c
      where
        c.type = 'comment'
        and c.id = m.id
    ) <= $2,
    true
  ) as "isHere"
from
  articles a
  join changes o on o.type = 'article'
  and o.id = a.id
  and o.comments_number = $2
  and not o.is_removed
  join comments m on m.article_id = a.id
where
  a.id = $1
  and (m.created_at, m.id) > (timestamptz 'epoch' + $3::bigint * interval '1 millisecond', $4::bigint)
order by
  m.created_at,
  m.id
limit
  $5;

-- renew_generation
-- () returns ()
insert into
  change_feed (generation)
values
  (new_generation ())
on conflict (is_only) do update
set
  generation = excluded.generation;

-- reset_changes
-- () returns (void)
select
  reset_changes ();

-- state_of_changes
-- () returns (bigint, boolean, double precision)
select
  (
    select
      count(*)
    from
      change_log
  ) as waiting,
  f.is_ready as "isReady",
  coalesce(
    (
      select
        extract(
          epoch
          from
            clock_timestamp() - l.logged_at
        )::float8
      from
        change_log l
      order by
        l.id
      limit
        1
    ),
    0
  ) as "oldestSeconds"
from
  change_feed f;
