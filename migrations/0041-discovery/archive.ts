/**
 * The number of public articles by month (UTC), of a member and of all. Triggers on `article_counts` keep them: a row is counted from the moment
 * on in which it is filled, so that they are exact also while existing articles are filled.
 */
export const archive = `
create table member_months (
  member_id bigint references members on delete cascade,
  month     date,
  articles  integer not null check (articles >= 0),
  primary key (member_id, month)
) with (fillfactor = 50);

-- A sum over several rows.
create table journal_months (
  month    date,
  shard    smallint,
  articles bigint not null,
  primary key (month, shard)
) with (fillfactor = 50);

-- The rows of a withdrawn member are deleted with the member.
create function count_in_archive(of_member bigint, of_month date, added bigint) returns void language plpgsql as $$
begin
  if added > 0 then
    insert into member_months as m (member_id, month, articles) values (of_member, of_month, added)
    on conflict (member_id, month) do update set articles = m.articles + excluded.articles;
  else
    update member_months set articles = articles + added where member_id = of_member and month = of_month;
  end if;
  insert into journal_months as j (month, shard, articles) values (of_month, own_shard(), added)
  on conflict (month, shard) do update set articles = j.articles + excluded.articles;
end $$;

create function article_months_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_in_archive(n.member_id, n.month, sign * n.articles)
  from (select member_id, month, count(*) as articles from changed where not is_private group by 1, 2 order by 1, 2) n;
  return null;
end $$;
create trigger article_months_added after insert on article_counts
  referencing new table as changed for each statement execute function article_months_counted();
create trigger article_months_removed after delete on article_counts
  referencing old table as changed for each statement execute function article_months_counted();

create function article_month_moved() returns trigger language plpgsql as $$
begin
  if not old.is_private then perform count_in_archive(old.member_id, old.month, -1); end if;
  if not new.is_private then perform count_in_archive(new.member_id, new.month, 1); end if;
  return null;
end $$;
create trigger article_month_moved after update of is_private, member_id, month on article_counts
  for each row when ((old.is_private, old.member_id, old.month) is distinct from (new.is_private, new.member_id, new.month))
  execute function article_month_moved();
`;
