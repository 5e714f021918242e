/**
 * The likes and views of the last 1, 7 and 30 days, which a job computes every hour, and the number of articles in the lists of each period, which
 * triggers keep. Private articles are in the lists of their authors only.
 */
const counted = (rows: 'added' | 'removed', sign: '' | '-') => `
    insert into trend_totals as t (days, shard, liked, viewed)
    select days, own_shard(), ${sign}count(*) filter (where likes > 0), ${sign}count(*) filter (where views > 0)
    from ${rows} where not is_private group by 1 order by 1
    on conflict (days, shard) do update set liked = t.liked + excluded.liked, viewed = t.viewed + excluded.viewed;`;

export const trends = `
create table article_trends (
  article_id bigint references all_articles on delete cascade,
  days       smallint check (days in (1, 7, 30)),
  likes      integer not null,
  views      integer not null,
  is_private boolean not null,
  primary key (article_id, days)
);
create index article_trends_likes on article_trends (days, likes, article_id) where likes > 0 and not is_private;
create index article_trends_views on article_trends (days, views, article_id) where views > 0 and not is_private;

create table trend_totals (
  days   smallint,
  shard  smallint,
  liked  bigint not null,
  viewed bigint not null,
  primary key (days, shard)
) with (fillfactor = 50);

create function article_trends_counted() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then ${counted('removed', '-')}
  end if;
  if tg_op <> 'DELETE' then ${counted('added', '')}
  end if;
  return null;
end $$;
create trigger article_trends_added after insert on article_trends
  referencing new table as added for each statement execute function article_trends_counted();
create trigger article_trends_changed after update on article_trends
  referencing old table as removed new table as added for each statement execute function article_trends_counted();
create trigger article_trends_removed after delete on article_trends
  referencing old table as removed for each statement execute function article_trends_counted();
`;

/** By day, so that the job reads the likes of a period only. Views have such an index (0039-views). */
export const trendIndexes = [
  `create index article_likes_day on article_likes (((created_at at time zone 'UTC')::date), article_id, created_at)`,
];
