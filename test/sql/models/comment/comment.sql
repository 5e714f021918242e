-- comments_by_id
-- (bigint[], reader[]) returns (bigint, bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone)
select
  v.key,
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
  c.updated_at as "updatedAt"
from
  (
    select
      k.key,
      k.comment_id,
      row (k.viewer_id, k.article_reader_id, k.draft_reader_id, k.moderator_id)::reader as r
    from
      unnest($1::bigint[], $2::reader[]) with ordinality as k (comment_id, viewer_id, article_reader_id, draft_reader_id, moderator_id, key)
  ) v
  join comments c on c.id = v.comment_id
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
  );

-- delete_empty_parent
-- (bigint) returns ()
delete from comments
where
  id = $1
  and reply_count = 0
  and deleted_at is not null;

-- lock_comment
-- (bigint, reader, uuid) returns (bigint, bigint, bigint, bigint, character varying, boolean, bigint, integer, integer, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, boolean, boolean)
with
  author as materialized (
    select
      m.id
    from
      members m
    where
      m.id = (
        select
          member_id
        from
          all_articles
        where
          id = (
            select
              article_id
            from
              comments
            where
              id = $1
          )
      )
    for key share
  ),
  article as materialized (
    select
      id,
      member_id,
      is_private,
      removed_at
    from
      all_articles
    where
      id = (
        select
          article_id
        from
          comments
        where
          id = $1
      )
      and (
        select
          count(*)
        from
          author
      ) >= 0
    for key share
  )
select
  c.id as "id",
  c.article_id as "articleId",
  c.parent_id as "parentId",
  c.member_id as "memberId",
  c.content as "content",
  c.is_hidden as "isHidden",
  c.received_by as "receivedBy",
  c.revision as "revision",
  c.reply_count as "replyCount",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt",
  c.deleted_at as "deletedAt",
  c.removed_at as "removedAt",
  can_read (a.is_private, a.member_id, $2::reader) as "isArticleReadable",
  false as "isHeld",
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
  ) as "hasAccess"
from
  comments c
  join article a on a.id = c.article_id
where
  c.id = $1
for update of
  c;

-- lock_held_comment
-- (bigint, reader, uuid, boolean) returns (bigint, bigint, bigint, bigint, character varying, boolean, bigint, integer, integer, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, boolean, boolean)
with
  author as materialized (
    select
      m.id
    from
      members m
    where
      m.id = (
        select
          member_id
        from
          all_articles
        where
          id = (
            select
              article_id
            from
              held_comments
            where
              id = $1
          )
      )
    for key share
  ),
  article as materialized (
    select
      id,
      member_id,
      is_private,
      removed_at
    from
      all_articles
    where
      id = (
        select
          article_id
        from
          held_comments
        where
          id = $1
      )
      and (
        select
          count(*)
        from
          author
      ) >= 0
    for key share
  )
select
  c.id as "id",
  c.article_id as "articleId",
  c.parent_id as "parentId",
  c.member_id as "memberId",
  c.content as "content",
  c.is_hidden as "isHidden",
  c.received_by as "receivedBy",
  c.revision as "revision",
  c.reply_count as "replyCount",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt",
  c.deleted_at as "deletedAt",
  c.removed_at as "removedAt",
  can_read (a.is_private, a.member_id, $2::reader) as "isArticleReadable",
  true as "isHeld",
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
  ) as "hasAccess"
from
  held_comments c
  join article a on a.id = c.article_id
where
  c.id = $1
  and (
    $4
    or sees_held (
      c.member_id,
      c.received_by,
      $2::reader,
      coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = ($2::reader).moderator_id
        ),
        false
      )
    )
  )
for update of
  c;

-- own_comments
-- (bigint[], bigint) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone)
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
  c.held_at is not null as "held",
  c.removed_at is not null
  and c.deleted_at is null as "removed",
  c.revision as "revision",
  c.parent_id as "parentId",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt"
from
  all_comments c
  join all_articles a on a.id = c.article_id
  cross join (
    select
      reader_of ($2) as r
  ) v
where
  c.id = any ($1::bigint[])
  and c.member_id = $2;

-- replies_by_comment
-- (bigint[], reader[]) returns (bigint, bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone)
select
  v.key,
  r.*
from
  (
    select
      k.key,
      k.comment_id,
      row (k.viewer_id, k.article_reader_id, k.draft_reader_id, k.moderator_id)::reader as r
    from
      unnest($1::bigint[], $2::reader[]) with ordinality as k (comment_id, viewer_id, article_reader_id, draft_reader_id, moderator_id, key)
  ) v
  cross join lateral (
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
      c.updated_at as "updatedAt"
    from
      comments c
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
    where
      c.parent_id = v.comment_id
    order by
      c.created_at,
      c.id
    limit
      100
  ) r;

-- set_comment_hidden
-- (bigint, boolean) returns ()
update comments
set
  is_hidden = $2
where
  id = $1;
