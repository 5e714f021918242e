-- add_rendering
-- (bigint, integer, text, text) returns ()
with
  t as (
    insert into
      article_texts (article_id, version, text)
    values
      ($1, $2, $4)
  )
insert into
  article_html (article_id, version, html)
values
  ($1, $2, $3);

-- articles_without_text
-- (bigint, integer) returns (bigint, bigint[])
select
  min(a.id) as last,
  coalesce(
    array_agg(
      a.id
      order by
        a.id desc
    ) filter (
      where
        t.article_id is null
    ),
    '{}'
  ) as ids
from
  (
    select
      id
    from
      all_articles
    where
      id < $1
    order by
      id desc
    limit
      1000
  ) a
  left join article_texts t on t.article_id = a.id
  and t.version >= $2;

-- find_readable_rendering
-- (bigint, integer, text, reader) returns (text, text, text, json, json)
select
  h.html,
  t.text,
  case
    when h.html is null
    or t.text is null then coalesce($3, a.content)
  end as content,
  (
    select
      json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
    from
      article_images r
      join images i on i.id = r.image_id
    where
      r.article_id = a.id
  ) as images,
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
  all_articles a
  left join article_html h on h.article_id = a.id
  and h.version >= $2
  and a.content = coalesce($3, a.content)
  left join article_texts t on t.article_id = a.id
  and t.version >= $2
  and a.content = coalesce($3, a.content)
where
  a.id = $1
  and can_read (a.is_private, a.member_id, $4::reader);

-- find_rendering
-- (bigint, integer, text) returns (text, text, text, json, json)
select
  h.html,
  t.text,
  case
    when h.html is null
    or t.text is null then coalesce($3, a.content)
  end as content,
  (
    select
      json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
    from
      article_images r
      join images i on i.id = r.image_id
    where
      r.article_id = a.id
  ) as images,
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
  all_articles a
  left join article_html h on h.article_id = a.id
  and h.version >= $2
  and a.content = coalesce($3, a.content)
  left join article_texts t on t.article_id = a.id
  and t.version >= $2
  and a.content = coalesce($3, a.content)
where
  a.id = $1
  and true;

-- html_by_article
-- (bigint[], integer) returns (bigint, text, json, json)
select
  h.article_id as id,
  h.html,
  (
    select
      json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
    from
      article_images r
      join images i on i.id = r.image_id
    where
      r.article_id = h.article_id
  ) as images,
  (
    select
      json_object_agg(n.name, json_build_object('id', m.id, 'nickname', m.nickname))
    from
      article_mentions x
      join members m on m.id = x.member_id
      cross join unnest(x.names) n (name)
    where
      x.article_id = h.article_id
  ) as mentions
from
  article_html h
where
  h.article_id = any ($1::bigint[])
  and h.version >= $2;

-- next_without_text
-- (bigint, integer) returns (bigint)
select
  a.id
from
  all_articles a
where
  a.member_id = $1
  and not exists (
    select
    from
      article_texts t
    where
      t.article_id = a.id
      and t.version >= $2
  )
order by
  a.id desc
limit
  1;

-- replace_rendering
-- (bigint, integer, text, text, text, text, integer, integer) returns ()
with
  current as (
    select
      id
    from
      all_articles
    where
      id = $1
      and content = $6
    for no key update
  ),
  html as (
    insert into
      article_html as h (article_id, version, html)
    select
      id,
      $2,
      $3
    from
      current
    on conflict (article_id) do update
    set
      version = excluded.version,
      html = excluded.html
    where
      h.version < excluded.version
  ),
  stored as (
    insert into
      article_texts as t (article_id, version, text)
    select
      id,
      $2,
      $4
    from
      current
    on conflict (article_id) do update
    set
      version = excluded.version,
      text = excluded.text
    where
      t.version < excluded.version
    returning
      article_id
  )
update all_articles a
set
  excerpt = $5,
  word_count = $7,
  reading_minutes = $8
from
  stored s
where
  a.id = s.article_id
  and (a.excerpt, a.word_count, a.reading_minutes) is distinct from ($5, $7, $8);
