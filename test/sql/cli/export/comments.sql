-- export_comments_of_article
-- (bigint, boolean, timestamp with time zone, bigint, bigint) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, boolean, integer)
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
    sees_removed => false,
    is_hidden => c.is_hidden,
    sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
    is_blocked => false
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
  c.deleted_at is not null as "isDeleted",
  c.reply_count as "replyCount"
from
  all_articles a
  cross join lateral (
    select
      reader_of (
        case
          when $2::boolean then a.member_id
          else 0
        end
      ) as r
  ) v
  join comments c on c.article_id = a.id
where
  a.id = $1
  and c.parent_id is null
  and (c.created_at, c.id) > ($3, $4)
order by
  c.created_at,
  c.id
limit
  $5;

-- export_first_replies
-- (bigint[], boolean) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, boolean, integer)
select
  r.*
from
  unnest($1::bigint[]) as t (id)
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
        sees_removed => false,
        is_hidden => c.is_hidden,
        sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
        is_blocked => false
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
      c.deleted_at is not null as "isDeleted",
      c.reply_count as "replyCount"
    from
      comments c
      join all_articles a on a.id = c.article_id
      cross join lateral (
        select
          reader_of (
            case
              when $2::boolean then a.member_id
              else 0
            end
          ) as r
      ) v
    where
      c.parent_id = t.id
    order by
      c.created_at,
      c.id
    limit
      100
  ) r
order by
  r."parentId",
  r."createdAt",
  r.id;

-- export_replies
-- (bigint, boolean, timestamp with time zone, bigint, bigint) returns (bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone, boolean, integer)
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
    sees_removed => false,
    is_hidden => c.is_hidden,
    sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
    is_blocked => false
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
  c.deleted_at is not null as "isDeleted",
  c.reply_count as "replyCount"
from
  comments c
  join all_articles a on a.id = c.article_id
  cross join lateral (
    select
      reader_of (
        case
          when $2::boolean then a.member_id
          else 0
        end
      ) as r
  ) v
where
  c.parent_id = $1
  and (c.created_at, c.id) > ($3, $4)
order by
  c.created_at,
  c.id
limit
  $5;
