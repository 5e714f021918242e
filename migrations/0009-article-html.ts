/** The content of each article as rendered HTML, with the version of the renderer. */
import type { Migration } from '../src/platform/database/migration.js';

const table = `
-- Not a column of articles: a change of any column there changes the article's stamp, which storing the output of a
-- newer renderer for the same content must not do. No row: the content has not been rendered yet.
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
  locks: { articles: 'share row exclusive' },
  up: [table],
};
