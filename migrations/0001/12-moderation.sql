-- Reports of content and members, the decisions of moderators, appeals (docs/decisions/moderation.md), and the spam model.

-- What was reported: one row for each target, however many members report it. It has no foreign key to comments: a comment that is held
-- again moves to held_comments, with its id.
create table moderation_cases (
  id         bigint generated always as identity primary key,
  article_id bigint references all_articles on delete cascade,
  comment_id bigint,
  member_id  bigint references members on delete cascade,
  target     text not null unique generated always as
    (coalesce('article ' || article_id::text, 'comment ' || comment_id::text, 'member ' || member_id::text)) stored,
  -- The time of the first report without a decision; null if there is none.
  opened_at  timestamptz(3) default now(),
  -- Reports up to this id have been decided.
  decided_id bigint not null default 0,
  check (num_nonnulls(article_id, comment_id, member_id) = 1)
);
create index moderation_cases_article on moderation_cases (article_id) where article_id is not null;
create index moderation_cases_comment on moderation_cases (comment_id) where comment_id is not null;
create index moderation_cases_member on moderation_cases (member_id) where member_id is not null;
create index moderation_cases_oldest on moderation_cases (opened_at, id) where opened_at is not null;

-- Ids ascend in each case, whose row is locked while one is added. A repeated report gets a new id.
create table reports (
  id          bigint generated always as identity primary key,
  case_id     bigint not null references moderation_cases on delete cascade,
  reporter_id bigint not null,
  reason      text not null check (reason in ('SPAM', 'ABUSE', 'ILLEGAL', 'OTHER')),
  text        text not null check (length(text) <= 1000),
  created_at  timestamptz(3) not null default now(),
  constraint reports_member_id_fkey foreign key (reporter_id) references members on delete cascade
);
create unique index reports_reporter_key on reports (case_id, reporter_id);
create index reports_newest on reports (case_id, id);
create index reports_of_member on reports (reporter_id, id);

-- What a moderator or an operator decided, with the statement of reasons for the member concerned.
create table decisions (
  id           bigint generated always as identity primary key,
  -- The member concerned; null if the author of the content had withdrawn.
  member_id    bigint references members on delete cascade,
  -- Null for an operator, and after a withdrawal.
  moderator_id bigint,
  article_id   bigint references all_articles on delete set null,
  -- Null after the end of the comment, by a trigger.
  comment_id   bigint,
  -- The decision that was appealed.
  appeal_of    bigint references decisions on delete cascade,
  action       text not null check (action in ('DISMISS', 'APPROVE', 'REMOVE', 'RESTORE', 'SUSPEND', 'UNSUSPEND', 'UPHOLD')),
  -- The end of a suspension; null without one.
  until        timestamptz(3),
  rule         text not null check (length(rule) <= 200),
  statement    text not null check (length(statement) <= 1000),
  note         text not null check (length(note) <= 1000),
  created_at   timestamptz(3) not null default now(),
  constraint decisions_moderator_fkey foreign key (moderator_id) references members on delete set null
);
create index decisions_member on decisions (member_id, created_at, id);
create index decisions_moderator on decisions (moderator_id) where moderator_id is not null;
create index decisions_article on decisions (article_id) where article_id is not null;
create index decisions_comment on decisions (comment_id) where comment_id is not null;
create index decisions_newest on decisions (created_at, id) include (member_id);
create unique index decisions_appeal_key on decisions (appeal_of) where appeal_of is not null;

-- At most one for each decision.
create table appeals (
  decision_id bigint primary key references decisions on delete cascade,
  text        text not null check (length(text) between 1 and 1000),
  created_at  timestamptz(3) not null default now(),
  -- The decision on the appeal; null while it is open.
  answer_id   bigint references decisions on delete cascade
);
create index appeals_answer on appeals (answer_id) where answer_id is not null;
create index appeals_oldest on appeals (created_at, decision_id) where answer_id is null;

-- A comment ends when it is neither shown nor held any more; a place that it leaves to its replies does not count.
create function end_moderation_of_comments(ids bigint[]) returns void language plpgsql as $$
declare
  ended bigint[] := array(select id from unnest(ids) x (id)
    where not exists (select from comments c where c.id = x.id and c.deleted_at is null)
      and not exists (select from held_comments h where h.id = x.id));
begin
  delete from moderation_cases where comment_id = any (ended);
  update decisions set comment_id = null where comment_id = any (ended);
end $$;

create function moderation_of_comments_ended() returns trigger language plpgsql as $$
begin
  perform end_moderation_of_comments(array(select id from removed));
  return null;
end $$;
create trigger moderation_ended after delete on comments
  referencing old table as removed for each statement execute function moderation_of_comments_ended();
create trigger moderation_ended after delete on held_comments
  referencing old table as removed for each statement execute function moderation_of_comments_ended();

create function moderation_of_comment_ended() returns trigger language plpgsql as $$
begin
  perform end_moderation_of_comments(array[old.id]);
  return null;
end $$;
create trigger moderation_of_place_ended after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function moderation_of_comment_ended();

-- The spam model: counters of hashed n-grams (docs/decisions/spam-score.md).
create table spam_model (
  is_only boolean primary key default true check (is_only),
  version bigint not null,
  -- Numbers of texts.
  spam    integer not null check (spam >= 0),
  other   integer not null check (other >= 0),
  -- 16 bits for each bucket and class.
  counts  bytea not null
);

-- The decisions that have not been learned yet. Texts are deleted as soon as the model has learned them.
create table spam_labels (
  id         bigint generated always as identity primary key,
  content    varchar(1000) not null,
  is_spam    boolean not null,
  -- Who wrote it.
  member_id  bigint references members on delete cascade,
  -- Null for an operator.
  decided_by bigint references members on delete cascade
);
create index spam_labels_member on spam_labels (member_id);
create index spam_labels_decider on spam_labels (decided_by);

-- How many decisions of a member the model has learned.
create table spam_deciders (
  member_id bigint primary key references members on delete cascade,
  decisions integer not null
);
