-- draft_revision_page
-- (bigint, bigint, boolean, bigint, bigint) returns (integer, character varying, character varying, integer, timestamp with time zone, bigint)
select
  r.number,
  r.title,
  r.description as "description",
  r.characters,
  r.created_at as "createdAt",
  t.total
from
  (
    select
      (
        select
          count(*)
        from
          draft_revisions
        where
          draft_id = d.id
      ) as total
    from
      drafts d
    where
      d.id = $1
      and d.member_id = $2
      and (
        $3
        or not exists (
          select
          from
            all_articles p
          where
            p.id = d.article_id
            and p.is_private
        )
      )
  ) t
  left join lateral (
    select
      *
    from
      draft_revisions
    where
      draft_id = $1
    order by
      number desc
    limit
      $4
    offset
      $5
  ) r on true
order by
  r.number desc;

-- find_draft_revision
-- (bigint, bigint, boolean, integer) returns (integer, character varying, character varying, integer, timestamp with time zone, text, text[])
select
  r.number,
  r.title,
  r.description as "description",
  r.characters,
  r.created_at as "createdAt",
  r.content,
  r.tags
from
  drafts d
  left join draft_revisions r on r.draft_id = d.id
  and r.number = $4
where
  d.id = $1
  and d.member_id = $2
  and (
    $3
    or not exists (
      select
      from
        all_articles p
      where
        p.id = d.article_id
        and p.is_private
    )
  );
