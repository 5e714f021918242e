/** The content of each article as rendered HTML, with the version of the renderer. */
import type { Migration } from '../src/database/migration.js';

const table = `
-- Not a column of articles: every change of a column there moves the article's stamp, and storing what a newer renderer
-- makes of the same content must not. No row: the content has not been rendered yet.
create table article_html (
  article_id bigint primary key references articles on delete cascade,
  version    integer not null,
  html       text not null
);

create function remove_article_html() returns trigger language plpgsql as $$
begin
  delete from article_html where article_id = new.id;
  return null;
end $$;
create trigger article_content_changed after update of content on articles
  for each row when (old.content <> new.content) execute function remove_article_html();
`;

export const migration: Migration = {
  name: '0009-article-html',
  up: [table],
};
