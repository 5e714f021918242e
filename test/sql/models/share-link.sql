-- delete_expired_share_links
-- (bigint) returns (integer)
with
  removed as (
    delete from share_links
    where
      token_hash = any (
        array(
          select
            token_hash
          from
            share_links
          where
            expires_at <= now()
          order by
            expires_at
          limit
            $1
          for update
            skip locked
        )
      )
    returning
      token_hash
  )
select
  count(*)::int as deleted
from
  removed;

-- lock_sharing_member
-- (bigint) returns (bigint)
select
  id
from
  members
where
  id = $1
  and locked_at is null
for share;

-- share_article
-- (bigint, bigint, uuid, bytea, integer) returns (boolean, timestamp with time zone)
with
  own as (
    select
      id
    from
      all_articles a
    where
      id = $1
      and member_id = $2
      and not exists (
        select
        from
          all_articles r
        where
          r.id in (a.id)
          and r.removed_at is not null
      )
    for key share of
      a
  ),
  added as (
    insert into
      share_links (token_hash, member_id, article_id, expires_at)
    select
      $4,
      $2,
      id,
      now() + $5::integer * interval '1 second'
    from
      own
    where
      (
        $3::uuid is null
        or coalesce(
          (
            select
              require_not_suspended (member_id)
            from
              sessions
            where
              id = $3
              and expires_at > now()
          ),
          (
            select
              require_not_suspended (member_id)
            from
              api_tokens
            where
              id = $3
              and coalesce(expires_at > now(), true)
          ),
          false
        )
      )
    on conflict (article_id) do update
    set
      token_hash = excluded.token_hash,
      member_id = excluded.member_id,
      created_at = now(),
      expires_at = excluded.expires_at
    returning
      expires_at
  )
select
  exists (
    select
    from
      own
  ) as exists,
  (
    select
      expires_at
    from
      added
  ) as "expiresAt";

-- share_draft
-- (bigint, bigint, uuid, bytea, integer) returns (boolean, timestamp with time zone)
with
  own as (
    select
      id
    from
      drafts a
    where
      id = $1
      and member_id = $2
      and not exists (
        select
        from
          all_articles r
        where
          r.id in (a.article_id)
          and r.removed_at is not null
      )
    for key share of
      a
  ),
  added as (
    insert into
      share_links (token_hash, member_id, draft_id, expires_at)
    select
      $4,
      $2,
      id,
      now() + $5::integer * interval '1 second'
    from
      own
    where
      (
        $3::uuid is null
        or coalesce(
          (
            select
              require_not_suspended (member_id)
            from
              sessions
            where
              id = $3
              and expires_at > now()
          ),
          (
            select
              require_not_suspended (member_id)
            from
              api_tokens
            where
              id = $3
              and coalesce(expires_at > now(), true)
          ),
          false
        )
      )
    on conflict (draft_id) do update
    set
      token_hash = excluded.token_hash,
      member_id = excluded.member_id,
      created_at = now(),
      expires_at = excluded.expires_at
    returning
      expires_at
  )
select
  exists (
    select
    from
      own
  ) as exists,
  (
    select
      expires_at
    from
      added
  ) as "expiresAt";

-- share_of_article
-- (bigint, bigint) returns (bigint, boolean, timestamp with time zone)
select
  a.member_id as "memberId",
  exists (
    select
    from
      all_articles r
    where
      r.id in (a.id)
      and r.removed_at is not null
  ) as "isRemoved",
  s.expires_at as "expiresAt"
from
  all_articles a
  left join share_links s on s.article_id = a.id
  and s.expires_at > now()
where
  a.id = $1
  and can_read (a.is_private, a.member_id, reader_of ($2));

-- share_of_draft
-- (bigint, bigint) returns (bigint, boolean, timestamp with time zone)
select
  a.member_id as "memberId",
  exists (
    select
    from
      all_articles r
    where
      r.id in (a.article_id)
      and r.removed_at is not null
  ) as "isRemoved",
  s.expires_at as "expiresAt"
from
  drafts a
  left join share_links s on s.draft_id = a.id
  and s.expires_at > now()
where
  a.id = $1
  and a.member_id = $2;

-- shared_text
-- (bytea, integer) returns (character varying, text, character varying, text[], text, integer, integer, text, timestamp with time zone, timestamp with time zone, text, json, json)
select
  coalesce(d.title, a.title) as title,
  coalesce(d.content, a.content) as content,
  m.nickname as "authorName",
  coalesce(
    d.tags,
    array(
      select
        t.name
      from
        all_article_tags x
        join tags t on t.id = x.tag_id
      where
        x.article_id = a.id
      order by
        x.position
    )::text[]
  ) as tags,
  coalesce(i.key, a.image, b.image) as image,
  case
    when i.id is null then coalesce(a.image_width, b.image_width)
    else i.width
  end as "imageWidth",
  case
    when i.id is null then coalesce(a.image_height, b.image_height)
    else i.height
  end as "imageHeight",
  case
    when d.id is null then a.image_alt
    else nullif(
      coalesce(
        d.image_alt,
        case
          when case
            when d.image_id is null then not d.removes_image
            else i.key = b.image
          end then b.image_alt
        end
      ),
      ''
    )
  end as "imageAlt",
  coalesce(d.updated_at, a.updated_at) as "updatedAt",
  s.expires_at as "expiresAt",
  h.html,
  case
    when h.html is not null then (
      select
        json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
      from
        article_images r
        join images i on i.id = r.image_id
      where
        r.article_id = a.id
    )
  end as images,
  (
    select
      json_object_agg(n.name, json_build_object('id', m.id, 'nickname', m.nickname))
    from
      article_mentions x
      join members m on m.id = x.member_id
      cross join unnest(x.names) n (name)
    where
      x.article_id = a.id
  ) as mentions
from
  share_links s
  join members m on m.id = s.member_id
  left join drafts d on d.id = s.draft_id
  left join images i on i.id = d.image_id
  left join all_articles b on b.id = d.article_id
  and b.member_id = d.member_id
  and not d.removes_image
  left join all_articles a on a.id = s.article_id
  left join article_html h on h.article_id = a.id
  and h.version >= $2
where
  s.token_hash = $1
  and s.expires_at > now()
  and not exists (
    select
    from
      all_articles r
    where
      r.id in (s.article_id, d.article_id)
      and r.removed_at is not null
  );

-- unshare_article
-- (bigint, bigint) returns ()
delete from share_links
where
  article_id = (
    select
      id
    from
      all_articles
    where
      id = $1
      and member_id = $2
  );

-- unshare_draft
-- (bigint, bigint) returns ()
delete from share_links
where
  draft_id = (
    select
      id
    from
      drafts
    where
      id = $1
      and member_id = $2
  );
