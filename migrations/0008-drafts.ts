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

-- What a save names, of which each must be the author's own, and may be null; and whether the session or API token has access (has_access, whose conditions
-- PostgreSQL inlines here: a save is the most frequent change).
create function named_by_draft(author bigint, category text, of_image bigint, translated bigint, sees_private boolean, credential uuid) returns table (
  category_id bigint, image_id bigint, translation_of bigint, has_category boolean, has_image boolean, has_translation boolean, has_access boolean
) language sql stable rows 1 as $$
  select k.id, i.id, a.id,
    category is null or k.id is not null,
    of_image is null or i.id is not null,
    translated is null or a.id is not null,
    coalesce(
      (select require_not_suspended(s.member_id) from sessions s where s.id = credential and s.expires_at > now()),
      (select require_not_suspended(t.member_id) from api_tokens t where t.id = credential and coalesce(t.expires_at > now(), true)),
      false)
  from (select) d
    left join categories k on k.member_id = author and lower(k.name) = lower(category)
    left join images i on i.member_id = author and i.id = of_image
    left join all_articles a on a.member_id = author and a.id = translated and a.removed_at is null and (sees_private or not a.is_private)
$$;
`,
  ],
};
