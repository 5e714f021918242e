/**
 * Triggers that keep article_search consistent. They are deferred to the commit of the same transaction, so that an article that
 * is inserted first and tagged afterwards is indexed once.
 */
export const triggers = `
create function article_search_add() returns trigger language plpgsql as $$
begin
  insert into article_search
  select id, created_at, member_id, category_id, search_is_long(body), search_fold(title), search_tags(id), body
  from articles, lateral (select search_fold(content) as body) folded
  where id = new.id;
  return null;
end $$;

-- Updates only the texts of the article, the other triggers the other columns: concurrent transactions that change
-- different parts cannot overwrite each other.
create function article_search_rewrite() returns trigger language plpgsql as $$
begin
  update article_search s
  set is_long = search_is_long(body), title = search_fold(a.title), content = body
  from articles a, lateral (select search_fold(a.content) as body) folded
  where a.id = new.id and s.article_id = a.id;
  return null;
end $$;

-- Deleting a category can move thousands of articles: these columns are not in the GIN index, so it is not updated.
create function article_search_file() returns trigger language plpgsql as $$
begin
  update article_search s set created_at = a.created_at, member_id = a.member_id, category_id = a.category_id
  from articles a where a.id = new.id and s.article_id = a.id;
  return null;
end $$;

-- Locks the row first, so that the next statement sees what a concurrent transaction has committed.
create function article_search_tag(article bigint) returns void language plpgsql as $$
declare
  known text;
  tagged text;
begin
  select tags into known from article_search where article_id = article for update;
  if not found then return; end if;
  tagged := search_tags(article);
  if tagged <> known then update article_search set tags = tagged where article_id = article; end if;
end $$;

create function article_search_tagged() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform article_search_tag(old.article_id); end if;
  if tg_op <> 'DELETE' then perform article_search_tag(new.article_id); end if;
  return null;
end $$;

create function article_search_tag_renamed() returns trigger language plpgsql as $$
begin
  perform article_search_tag(article_id) from article_tags where tag_id = new.id;
  return null;
end $$;

create constraint trigger article_search_add after insert on articles
  deferrable initially deferred for each row execute function article_search_add();
create constraint trigger article_search_rewrite after update of title, content on articles
  deferrable initially deferred for each row when ((old.title, old.content) is distinct from (new.title, new.content))
  execute function article_search_rewrite();
create constraint trigger article_search_file after update of created_at, member_id, category_id on articles
  deferrable initially deferred for each row
  when ((old.created_at, old.member_id, old.category_id) is distinct from (new.created_at, new.member_id, new.category_id))
  execute function article_search_file();
create constraint trigger article_search_tagged after insert or update or delete on article_tags
  deferrable initially deferred for each row execute function article_search_tagged();
create constraint trigger article_search_tag_renamed after update of name on tags
  deferrable initially deferred for each row when (old.name <> new.name) execute function article_search_tag_renamed();
`;
