/** What a draft shows of other tables, and what a save of it names. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0008-drafts',
  locks: {},
  up: [
    `
-- What a draft shows of other tables: its category, and the image that its article will have, which is that of the present article unless the draft has
-- another one or removes it. An API token may not see private articles: the draft is shown as no translation of one. "is not distinct from" uses no index;
-- with "=", a generic plan may read all articles of the member by their index.
create function shown_with_draft(
  of_category bigint, of_article bigint, author bigint, of_image bigint, alt varchar, removes_image boolean, translated bigint, sees_private boolean
) returns table (category varchar, image text, image_width integer, image_height integer, image_alt varchar, translation_of bigint)
language sql stable rows 1 as $$
  select k.name,
    case when of_image is not null then i.key when not removes_image then a.image end,
    case when of_image is not null then i.width when not removes_image then a.image_width end,
    case when of_image is not null then i.height when not removes_image then a.image_height end,
    nullif(coalesce(alt, case when case when of_image is null then not removes_image else i.key = a.image end then a.image_alt end), ''),
    o.id
  from (select) d
    left join categories k on k.id = of_category
    left join images i on i.id = of_image
    left join all_articles a on a.id = of_article and a.member_id is not distinct from author
    left join all_articles o on o.id = translated and (sees_private or not o.is_private)
$$;

-- What a save names, of which each must be the author's own, and may be null.
create function named_by_draft(author bigint, category text, image bigint, translated bigint, sees_private boolean) returns table (
  category_id bigint, image_id bigint, translation_of bigint, has_category boolean, has_image boolean, has_translation boolean
) language sql stable rows 1 as $$
  select r.*, category is null or r.category_id is not null, image is null or r.image_id is not null, translated is null or r.translation_of is not null
  from (
    select
      (select k.id from categories k where k.member_id = author and lower(k.name) = lower(category)) as category_id,
      (select i.id from images i where i.member_id = author and i.id = image) as image_id,
      (
        select a.id from all_articles a
        where a.member_id = author and a.id = translated and a.removed_at is null and (sees_private or not a.is_private)
      ) as translation_of
  ) r
$$;
`,
  ],
};
