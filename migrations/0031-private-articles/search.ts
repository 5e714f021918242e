/**
 * The search index of private articles is a table of its own: the statements of the public search, their plans and their estimates stay as
 * they are. The row of an article moves when its visibility changes.
 */
export const search = `
create table private_article_search (
  article_id  bigint primary key references all_articles on delete cascade,
  created_at  timestamptz(3) not null,
  member_id   bigint not null,
  category_id bigint not null,
  is_long     boolean not null,
  title       text not null,
  tags        text not null,
  content     text not null
) with (fillfactor = 90);
create index private_article_search_newest on private_article_search (member_id, created_at desc, article_id desc);
create index private_article_search_keys on private_article_search using gin (search_keys(is_long, title, tags, content));
-- As for article_search_keys, see 0004-search.
alter index private_article_search_keys alter column 1 set statistics 0;

-- The columns of both tables. Not their type: a restore drops the tables of an unused database before the functions.
create function article_search_row(article bigint) returns table (
  article_id bigint, created_at timestamptz, member_id bigint, category_id bigint, is_long boolean, title text, tags text, content text
) language sql stable as $$
  select a.id, a.created_at, a.member_id, a.category_id, false, search_fold(a.title), search_tags(a.id),
         search_fold(coalesce(t.text, a.content))
  from all_articles a left join article_texts t on t.article_id = a.id where a.id = article
$$;

-- Deferred to the commit: the article may have been deleted, or its visibility changed again.
create or replace function article_search_add() returns trigger language plpgsql as $$
begin
  if (select is_private from all_articles where id = new.id) then
    delete from article_search where article_id = new.id;
    insert into private_article_search select * from article_search_row(new.id) on conflict do nothing;
  else
    delete from private_article_search where article_id = new.id;
    insert into article_search select * from article_search_row(new.id) on conflict do nothing;
  end if;
  return null;
end $$;
create constraint trigger article_search_moved after update of is_private on all_articles
  deferrable initially deferred for each row when (old.is_private <> new.is_private) execute function article_search_add();

create or replace function article_search_rewrite() returns trigger language plpgsql as $$
begin
  update article_search s set title = r.title, content = r.content
  from article_search_row(new.id) r where s.article_id = new.id;
  if not found then
    update private_article_search s set title = r.title, content = r.content
    from article_search_row(new.id) r where s.article_id = new.id;
  end if;
  return null;
end $$;

create or replace function article_search_text() returns trigger language plpgsql as $$
begin
  update article_search s set title = r.title, content = r.content
  from article_search_row(new.article_id) r
  where s.article_id = new.article_id and (s.title, s.content) is distinct from (r.title, r.content);
  update private_article_search s set title = r.title, content = r.content
  from article_search_row(new.article_id) r
  where s.article_id = new.article_id and (s.title, s.content) is distinct from (r.title, r.content);
  return null;
end $$;

create or replace function article_search_file() returns trigger language plpgsql as $$
begin
  update article_search s set created_at = a.created_at, member_id = a.member_id, category_id = a.category_id
  from all_articles a where a.id = new.id and s.article_id = a.id;
  if not found then
    update private_article_search s set created_at = a.created_at, member_id = a.member_id, category_id = a.category_id
    from all_articles a where a.id = new.id and s.article_id = a.id;
  end if;
  return null;
end $$;

create or replace function article_search_tag(article bigint) returns void language plpgsql as $$
declare
  known text;
  tagged text;
begin
  select tags into known from article_search where article_id = article for update;
  if found then
    tagged := search_tags(article);
    if tagged <> known then update article_search set tags = tagged where article_id = article; end if;
    return;
  end if;
  select tags into known from private_article_search where article_id = article for update;
  if not found then return; end if;
  tagged := search_tags(article);
  if tagged <> known then update private_article_search set tags = tagged where article_id = article; end if;
end $$;
`;
