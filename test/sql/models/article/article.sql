-- article_by_slug
-- (text, reader) returns (text, text, text)
select
  json_build_array(
    a.id,
    a.member_id,
    m.nickname,
    m.profile_image,
    a.category_id,
    k.name,
    a.title,
    a.slug,
    a.word_count,
    a.reading_minutes,
    a.description,
    a.canonical_url,
    a.language,
    a.excerpt,
    case
      when a.excerpt is null then left(a.content, 4000)
    end,
    null,
    a.key,
    null,
    a.image,
    a.image_width,
    a.image_height,
    a.image_alt,
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
    )::text[],
    a.comment_count,
    coalesce(r.likes, 0) - case
      when exists (
        select
        from
          withdrawn_members
      ) then reactions_of_withdrawn (r.article_id, 'LIKE')
      else 0
    end,
    coalesce(r.views, 0),
    a.series_id,
    array(
      select
        json_build_object('id', b.id, 'slug', b.slug, 'title', b.title, 'language', b.language)
      from
        articles b
      where
        b.translation_group_id = a.translation_group_id
        and b.id <> a.id
      order by
        b.language
    ),
    null,
    a.ai_summary,
    a.is_private,
    a.removed_at,
    a.revision,
    a.created_at at time zone 'UTC',
    a.updated_at at time zone 'UTC'
  )::text as packed,
  a.content,
  (
    coalesce(a.id::text, '') || '.' || coalesce(
      extract(
        epoch
        from
          coalesce(a.revised_at - 'epoch', '0') + coalesce(a.discussed_at - 'epoch', '0') + coalesce(r.changed_at - 'epoch', '0') + coalesce(g.changed_at - 'epoch', '0') + coalesce(
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
          a.revised_at,
          a.discussed_at,
          r.changed_at,
          g.changed_at,
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
    ) || ' ' || a.revision
  ) as stamp
from
  all_articles a
  join members m on m.id = a.member_id
  join categories k on k.id = a.category_id
  left join article_counts r on r.article_id = a.id
  left join translation_groups g on g.id = a.translation_group_id
  join article_slugs s on s.article_id = a.id
where
  s.slug = $1
  and can_read (a.is_private, a.member_id, $2::reader);

-- article_neighbors
-- (bigint, reader) returns (json, json)
select
  (
    select
      json_build_object('id', b.id, 'slug', b.slug, 'title', b.title)
    from
      articles b
    where
      b.member_id = a.member_id
      and (b.created_at, b.id) < (a.created_at, a.id)
    order by
      b.created_at desc,
      b.id desc
    limit
      1
  ) as previous,
  (
    select
      json_build_object('id', b.id, 'slug', b.slug, 'title', b.title)
    from
      articles b
    where
      b.member_id = a.member_id
      and (b.created_at, b.id) > (a.created_at, a.id)
    order by
      b.created_at asc,
      b.id asc
    limit
      1
  ) as next
from
  all_articles a
where
  a.id = $1
  and can_read (a.is_private, a.member_id, $2::reader);

-- articles_by_id
-- (bigint[], reader) returns (text, text, text)
select
  json_build_array(
    a.id,
    a.member_id,
    m.nickname,
    m.profile_image,
    a.category_id,
    k.name,
    a.title,
    a.slug,
    a.word_count,
    a.reading_minutes,
    a.description,
    a.canonical_url,
    a.language,
    a.excerpt,
    case
      when a.excerpt is null then left(a.content, 4000)
    end,
    null,
    a.key,
    null,
    a.image,
    a.image_width,
    a.image_height,
    a.image_alt,
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
    )::text[],
    a.comment_count,
    coalesce(r.likes, 0) - case
      when exists (
        select
        from
          withdrawn_members
      ) then reactions_of_withdrawn (r.article_id, 'LIKE')
      else 0
    end,
    coalesce(r.views, 0),
    a.series_id,
    array(
      select
        json_build_object('id', b.id, 'slug', b.slug, 'title', b.title, 'language', b.language)
      from
        articles b
      where
        b.translation_group_id = a.translation_group_id
        and b.id <> a.id
      order by
        b.language
    ),
    null,
    a.ai_summary,
    a.is_private,
    a.removed_at,
    a.revision,
    a.created_at at time zone 'UTC',
    a.updated_at at time zone 'UTC'
  )::text as packed,
  a.content,
  (
    coalesce(
      extract(
        epoch
        from
          coalesce(a.revised_at - 'epoch', '0') + coalesce(a.discussed_at - 'epoch', '0') + coalesce(r.changed_at - 'epoch', '0') + coalesce(g.changed_at - 'epoch', '0') + coalesce(
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
          a.revised_at,
          a.discussed_at,
          r.changed_at,
          g.changed_at,
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
    ) || ' ' || a.revision
  ) as stamp
from
  all_articles a
  join members m on m.id = a.member_id
  join categories k on k.id = a.category_id
  left join article_counts r on r.article_id = a.id
  left join translation_groups g on g.id = a.translation_group_id
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, $2::reader);

-- removed_articles_by_id
-- (bigint[], reader) returns (text, text, text)
select
  json_build_array(
    a.id,
    a.member_id,
    m.nickname,
    m.profile_image,
    k.id,
    k.name,
    coalesce(t.title, a.title),
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.slug
      else coalesce(
        (
          select
            min(s.slug)
          from
            article_slugs s
          where
            s.article_id = a.id
        ),
        'article'
      )
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.word_count
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.reading_minutes
    end,
    case
      when t.title is null then a.description
      else t.description
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.canonical_url
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.language
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.excerpt
    end,
    left(coalesce(t.content, a.content), 4000),
    null,
    a.key,
    null,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.image
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.image_width
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.image_height
    end,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.image_alt
    end,
    coalesce(
      t.tags,
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
    ),
    (
      select
        count(*)
      from
        comments c
      where
        c.article_id = a.id
        and c.deleted_at is null
        and c.updated_at <= a.private_at
    ),
    coalesce(r.likes, 0) - case
      when exists (
        select
        from
          withdrawn_members
      ) then reactions_of_withdrawn (r.article_id, 'LIKE')
      else 0
    end,
    coalesce(r.views, 0),
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.series_id
    end,
    array[]::json[],
    null,
    case
      when (
        a.revision = a.private_revision
        and t.title is null
      ) then a.ai_summary
    end,
    a.is_private,
    a.removed_at,
    a.revision,
    a.created_at at time zone 'UTC',
    (
      case
        when (
          a.revision = a.private_revision
          and t.title is null
        ) then a.updated_at
        else a.private_at
      end
    ) at time zone 'UTC'
  )::text as packed,
  coalesce(t.content, a.content) as content,
  (
    coalesce(
      extract(
        epoch
        from
          coalesce(a.revised_at - 'epoch', '0') + coalesce(a.discussed_at - 'epoch', '0') + coalesce(r.changed_at - 'epoch', '0') + coalesce(g.changed_at - 'epoch', '0') + coalesce(
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
          a.revised_at,
          a.discussed_at,
          r.changed_at,
          g.changed_at,
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
    ) || ' ' || a.revision
  ) as stamp
from
  all_articles a
  join members m on m.id = a.member_id
  left join lateral (
    select
      r.*
    from
      article_revisions r
    where
      r.article_id = a.id
      and r.number >= a.private_revision
    order by
      r.number
    limit
      1
  ) t on true
  join categories k on k.id = case
    when (
      a.revision = a.private_revision
      and t.title is null
    ) then a.category_id
    else (
      select
        d.id
      from
        categories d
      where
        d.member_id = a.member_id
        and d.is_default
    )
  end
  left join article_counts r on r.article_id = a.id
  left join translation_groups g on g.id = a.translation_group_id
where
  a.id = any ($1::bigint[])
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
          o.id = ($2::reader).moderator_id
      ),
      false
    )
  );
