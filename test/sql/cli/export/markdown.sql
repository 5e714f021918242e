-- export_markdown_left_out
-- () returns (bigint, bigint, bigint)
select
  (
    select
      count(*)
    from
      all_articles
    where
      removed_at is not null
  ) as articles,
  (
    select
      count(*)
    from
      held_comments
  ) as held,
  (
    select
      count(*)
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.removed_at is not null
      and c.deleted_at is null
      and a.removed_at is null
  ) as removed;
