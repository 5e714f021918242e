-- claim_idempotency_key
-- (bytea, integer, bigint, bytea, double precision, reader) returns (boolean, boolean, bytea, smallint, jsonb, text, boolean)
with
  key_lock as materialized (
    select
      pg_try_advisory_xact_lock(4270007, $2) as is_free
  ),
  claimed as (
    insert into
      idempotency_keys as k (id, member_id, fingerprint)
    select
      $1,
      $3::bigint,
      $4::bytea
    from
      key_lock
    where
      is_free
    on conflict (id) do update
    set
      fingerprint = excluded.fingerprint,
      status = null,
      created_at = now()
    where
      not (k.created_at > now() - $5 * interval '1 millisecond')
    returning
      id
  )
select
  key_lock.is_free as "isFree",
  exists (
    select
    from
      claimed
  ) as "isClaimed",
  k.fingerprint,
  k.status,
  k.headers,
  k.body,
  (
    ($6::reader).article_reader_id = 0
    and exists (
      select
      from
        jsonb_array_elements_text(k.shown -> 'ownArticles') x (id)
      where
        not exists (
          select
          from
            articles p
          where
            p.id = x.id::bigint
        )
    )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'comments') x (id)
    where
      not exists (
        select
        from
          comments c
          join all_articles a on a.id = c.article_id
        where
          c.id = x.id::bigint
          and c.deleted_at is null
          and (
            c.removed_at is null
            or (
              coalesce(($6::reader).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = ($6::reader).moderator_id
                ),
                false
              )
            )
          )
          and (
            not c.is_hidden
            or ((($6::reader).viewer_id in (c.member_id, c.received_by)) is true)
          )
          and not coalesce(
            (
              (
                ($6::reader).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least(($6::reader).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest(($6::reader).viewer_id, c.member_id)
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
                    o.id = ($6::reader).viewer_id
                ),
                false
              )
            ),
            false
          )
          and can_read (a.is_private, a.member_id, $6::reader)
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'articles') x (id)
    where
      not exists (
        select
        from
          all_articles a
        where
          a.id = x.id::bigint
          and can_read (a.is_private, a.member_id, $6::reader)
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'members') x (id)
    where
      not exists (
        select
        from
          members m
        where
          m.id = x.id::bigint
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'series') x (id)
    where
      not exists (
        select
        from
          series s
        where
          s.id = x.id::bigint
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'notifications') x (id)
    where
      not exists (
        select
        from
          notifications n
          join lateral (
            select
              a.title,
              a.slug,
              case
                when n.type = 'ARTICLE' then a.member_id
                else n.actor_id
              end as actor_id,
              null::json as decision
            from
              all_articles a
            where
              a.id = n.article_id
              and can_read (a.is_private, a.member_id, $6::reader)
              and not (
                n.type = 'ARTICLE'
                and exists (
                  select
                  from
                    ended_articles e
                  where
                    e.article_id = n.article_id
                    and n.id <= e.notification_id
                )
              )
            union all
            select
              d.title,
              null,
              n.actor_id,
              null
            from
              drafts d
            where
              d.id = n.draft_id
              and d.member_id = ($6::reader).draft_reader_id
            union all
            select
              '',
              null,
              n.actor_id,
              null
            where
              n.type = 'FOLLOW'
              and not n.actor_id in (
                select
                  w.id
                from
                  withdrawn_members w
              )
            union all
            select
              coalesce(a.title, ''),
              null,
              null,
              json_build_object(
                'id',
                case
                  when d.member_id = n.member_id then d.id
                end,
                'action',
                d.action,
                'target',
                case
                  when d.comment_id is not null then 'COMMENT'
                  when d.article_id is not null then 'ARTICLE'
                end
              )
            from
              decisions d
              left join comments c on c.id = d.comment_id
              left join all_articles a on a.id = coalesce(d.article_id, c.article_id)
              and can_read (a.is_private, a.member_id, $6::reader)
            where
              d.id = n.decision_id
          ) s on true
          left join members m on m.id = s.actor_id
        where
          n.id = x.id::bigint
      )
  ) as "isRemoved"
from
  key_lock
  left join idempotency_keys k on k.id = $1
  and k.created_at > now() - $5 * interval '1 millisecond';

-- complete_idempotent_response
-- (bytea, text, text) returns (text)
update idempotency_keys
set
  body = case
    when position($3 in body) > 0 then $2
    else body
  end
where
  id = $1
  and status is not null
returning
  body;

-- delete_expired_idempotency_keys
-- (double precision, bigint) returns (bigint)
with
  deleted as (
    delete from idempotency_keys
    where
      id = any (
        array(
          select
            k.id
          from
            idempotency_keys k
          where
            not (k.created_at > now() - $1 * interval '1 millisecond')
          order by
            k.created_at
          limit
            $2
          for update
            skip locked
        )
      )
    returning
      1
  )
select
  count(*) as deleted
from
  deleted;

-- find_idempotent_response
-- (bytea, integer, double precision, reader) returns (boolean, bytea, smallint, jsonb, text, boolean)
select
  key_lock.is_free as "isFree",
  k.fingerprint,
  k.status,
  k.headers,
  k.body,
  (
    ($4::reader).article_reader_id = 0
    and exists (
      select
      from
        jsonb_array_elements_text(k.shown -> 'ownArticles') x (id)
      where
        not exists (
          select
          from
            articles p
          where
            p.id = x.id::bigint
        )
    )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'comments') x (id)
    where
      not exists (
        select
        from
          comments c
          join all_articles a on a.id = c.article_id
        where
          c.id = x.id::bigint
          and c.deleted_at is null
          and (
            c.removed_at is null
            or (
              coalesce(($4::reader).viewer_id = c.member_id, false)
              or coalesce(
                (
                  select
                    o.role <> 'MEMBER'
                    and coalesce(o.suspended_until <= now(), true)
                  from
                    members o
                  where
                    o.id = ($4::reader).moderator_id
                ),
                false
              )
            )
          )
          and (
            not c.is_hidden
            or ((($4::reader).viewer_id in (c.member_id, c.received_by)) is true)
          )
          and not coalesce(
            (
              (
                ($4::reader).viewer_id > 0
                and (
                  select
                    true
                  from
                    blocks b
                  where
                    least(b.member_id, b.blocked_id) = least(($4::reader).viewer_id, c.member_id)
                    and greatest(b.member_id, b.blocked_id) = greatest(($4::reader).viewer_id, c.member_id)
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
                    o.id = ($4::reader).viewer_id
                ),
                false
              )
            ),
            false
          )
          and can_read (a.is_private, a.member_id, $4::reader)
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'articles') x (id)
    where
      not exists (
        select
        from
          all_articles a
        where
          a.id = x.id::bigint
          and can_read (a.is_private, a.member_id, $4::reader)
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'members') x (id)
    where
      not exists (
        select
        from
          members m
        where
          m.id = x.id::bigint
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'series') x (id)
    where
      not exists (
        select
        from
          series s
        where
          s.id = x.id::bigint
      )
  )
  or exists (
    select
    from
      jsonb_array_elements_text(k.shown -> 'notifications') x (id)
    where
      not exists (
        select
        from
          notifications n
          join lateral (
            select
              a.title,
              a.slug,
              case
                when n.type = 'ARTICLE' then a.member_id
                else n.actor_id
              end as actor_id,
              null::json as decision
            from
              all_articles a
            where
              a.id = n.article_id
              and can_read (a.is_private, a.member_id, $4::reader)
              and not (
                n.type = 'ARTICLE'
                and exists (
                  select
                  from
                    ended_articles e
                  where
                    e.article_id = n.article_id
                    and n.id <= e.notification_id
                )
              )
            union all
            select
              d.title,
              null,
              n.actor_id,
              null
            from
              drafts d
            where
              d.id = n.draft_id
              and d.member_id = ($4::reader).draft_reader_id
            union all
            select
              '',
              null,
              n.actor_id,
              null
            where
              n.type = 'FOLLOW'
              and not n.actor_id in (
                select
                  w.id
                from
                  withdrawn_members w
              )
            union all
            select
              coalesce(a.title, ''),
              null,
              null,
              json_build_object(
                'id',
                case
                  when d.member_id = n.member_id then d.id
                end,
                'action',
                d.action,
                'target',
                case
                  when d.comment_id is not null then 'COMMENT'
                  when d.article_id is not null then 'ARTICLE'
                end
              )
            from
              decisions d
              left join comments c on c.id = d.comment_id
              left join all_articles a on a.id = coalesce(d.article_id, c.article_id)
              and can_read (a.is_private, a.member_id, $4::reader)
            where
              d.id = n.decision_id
          ) s on true
          left join members m on m.id = s.actor_id
        where
          n.id = x.id::bigint
      )
  ) as "isRemoved"
from
  (
    select
      pg_try_advisory_xact_lock(4270007, $2) as is_free
  ) key_lock
  left join idempotency_keys k on k.id = $1
  and k.created_at > now() - $3 * interval '1 millisecond';

-- store_idempotent_response
-- (bytea, bigint, smallint, jsonb, text, jsonb, reader) returns ()
update idempotency_keys
set
  member_id = coalesce(member_id, $2),
  status = $3,
  headers = $4::jsonb,
  body = $5,
  shown = $6::jsonb || jsonb_build_object(
    'comments',
    (
      select
        coalesce(jsonb_agg(c.id), '[]')
      from
        comments c
      where
        c.id in (
          select
            value::bigint
          from
            jsonb_array_elements_text($6::jsonb -> 'comments')
        )
        and c.deleted_at is null
        and (
          c.removed_at is null
          or (
            coalesce(($7::reader).viewer_id = c.member_id, false)
            or coalesce(
              (
                select
                  o.role <> 'MEMBER'
                  and coalesce(o.suspended_until <= now(), true)
                from
                  members o
                where
                  o.id = ($7::reader).moderator_id
              ),
              false
            )
          )
        )
        and (
          not c.is_hidden
          or ((($7::reader).viewer_id in (c.member_id, c.received_by)) is true)
        )
        and not coalesce(
          (
            (
              ($7::reader).viewer_id > 0
              and (
                select
                  true
                from
                  blocks b
                where
                  least(b.member_id, b.blocked_id) = least(($7::reader).viewer_id, c.member_id)
                  and greatest(b.member_id, b.blocked_id) = greatest(($7::reader).viewer_id, c.member_id)
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
                  o.id = ($7::reader).viewer_id
              ),
              false
            )
          ),
          false
        )
    )
  )
where
  id = $1;
