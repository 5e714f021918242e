/** A change of an article that is and stays private renews no stamp that responses to others depend on. */
export const stamps = `
create function stamp_journal(of_kind text) returns void language sql as $$
  insert into journal_stamps as s (kind, shard, changed_at, changed_in)
  values (of_kind, pg_backend_pid() % 32, clock_timestamp(), pg_current_xact_id())
  on conflict (kind, shard) do update set changed_at = stamp_after(s.changed_at), changed_in = excluded.changed_in
  where s.changed_in <> excluded.changed_in or s.changed_at < clock_timestamp() - interval '1 second'
$$;

create or replace function journal_stamped() returns trigger language plpgsql as $$
begin
  perform stamp_journal(tg_argv[0]);
  return null;
end $$;

create function articles_stamped() returns trigger language plpgsql as $$
begin
  if exists (select from changed where not is_private) then perform stamp_journal('articles'); end if;
  return null;
end $$;
drop trigger articles_stamped_on_insert on all_articles;
drop trigger articles_stamped_on_delete on all_articles;
create trigger articles_stamped_on_insert after insert on all_articles
  referencing new table as changed for each statement execute function articles_stamped();
create trigger articles_stamped_on_delete after delete on all_articles
  referencing old table as changed for each statement execute function articles_stamped();

drop trigger articles_stamped on all_articles;
drop trigger articles_stamped_by_hand on all_articles;
create trigger articles_stamped after update on all_articles
  for each row when (old.revised_at <> new.revised_at and not (old.is_private and new.is_private))
  execute function journal_stamped('articles');
create trigger articles_stamped_by_hand after update on all_articles
  for each row when (old.discussed_at <> new.discussed_at and pg_trigger_depth() = 0 and not (old.is_private and new.is_private))
  execute function journal_stamped('comments');

-- A deleted article, whose comments have been deleted with it, has its own trigger.
create function comments_stamped() returns trigger language plpgsql as $$
begin
  if exists (select from changed c join all_articles a on a.id = c.article_id where not a.is_private) then
    perform stamp_journal('comments');
  end if;
  return null;
end $$;
drop trigger comments_stamped_on_insert on comments;
drop trigger comments_stamped_on_delete on comments;
create trigger comments_stamped_on_insert after insert on comments
  referencing new table as changed for each statement execute function comments_stamped();
create trigger comments_stamped_on_delete after delete on comments
  referencing old table as changed for each statement execute function comments_stamped();

-- For rows of comments and article_texts; the argument is the kind of the stamp.
create function public_article_stamped() returns trigger language plpgsql as $$
begin
  if exists (select from all_articles where id = new.article_id and not is_private) then
    perform stamp_journal(tg_argv[0]);
  end if;
  return null;
end $$;
drop trigger comment_stamped on comments;
create trigger comment_stamped after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function public_article_stamped('comments');
drop trigger article_texts_stamped on article_texts;
create constraint trigger article_texts_stamped after insert or update of text on article_texts
  deferrable initially deferred for each row execute function public_article_stamped('articles');
`;
