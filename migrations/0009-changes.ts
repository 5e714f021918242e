/** The places of the feed of changes, and what is at them now. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0009-changes',
  locks: {},
  up: [
    `
-- The next places of objects of a type: the first one of an object (created), and its last change (latest). Each branch reads an index in the order of
-- its numbers.
create function places_of_type(of_type text, after bigint, horizon bigint, most bigint) returns table (kind text, number bigint, id bigint)
language sql stable as $$
  (
    select 'created', c.created_number, c.id from changes c
    where c.type = of_type and c.created_number > after and not c.is_removed order by c.created_number limit most
  )
  union all
  (
    select 'latest', c.number, c.id from changes c
    where c.type = of_type and c.number > greatest(after, horizon) order by c.number limit most
  )
$$;

-- With those for all comments of an article (comments), of which the one at the position is read again from inside.
create function places_of_changes(after bigint, is_inside boolean, horizon bigint, types text[], most bigint) returns table (
  kind text, number bigint, type text, id bigint
) language sql stable as $$
  select m.* from (
    select s.kind, s.number, t.type, s.id from unnest(types) t (type) cross join lateral places_of_type(t.type, after, horizon, most) s
    union all
    (
      select 'comments', c.comments_number, c.type, c.id from changes c
      where 'comment' = any(types) and c.comments_number >= case when is_inside then after else after + 1 end and not c.is_removed
      order by c.comments_number limit most
    )
  ) m order by m.number limit most
$$;

-- What anonymous readers see of an object at a place; null if they do not see it, or another place stands for it. A comment is not shown before its
-- article is, and not twice.
create function current_object(of_type text, object bigint, place bigint) returns table (current json) language sql stable rows 1 as $$
  select case of_type
    when 'article' then (
      select json_build_object('slug', a.slug, 'revision', a.revision, 'bytes', octet_length(a.content))
      from all_articles a where a.id = object and not a.is_private
    )
    when 'comment' then (
      select json_build_object('revision', m.revision)
      from comments m
        join all_articles a on a.id = m.article_id and not a.is_private
        join changes o on o.type = 'article' and o.id = a.id and not o.is_removed
      where m.id = object and place > coalesce(o.comments_number, 0)
    )
    when 'member' then (
      select json_build_object() from members m
      where m.id = object and (m.pending_since is null or m.email_verified_at is not null)
    )
    when 'category' then (
      select json_build_object() from categories k join members m on m.id = k.member_id
      where k.id = object and (m.pending_since is null or m.email_verified_at is not null)
    )
    when 'series' then (select json_build_object() from series s where s.id = object)
  end
$$;
`,
  ],
};
