-- add_mail
-- (text, bigint, character varying, text, jsonb, bigint) returns (text)
insert into
  mails (message_id, member_id, address, language, template, parameters, expires_at)
select
  $1,
  id,
  coalesce($3, email),
  language,
  $4,
  $5::jsonb,
  now() + $6::bigint * interval '1 ms'
from
  members
where
  id = $2
  and coalesce($3, email) is not null
returning
  message_id as "messageId";

-- delete_mail
-- (text) returns ()
delete from mails
where
  message_id = $1;

-- waiting_mail
-- (text) returns (bigint, text, text, text, jsonb, boolean)
select
  member_id as "memberId",
  address,
  language,
  template,
  parameters,
  expires_at < now() as "isExpired"
from
  mails
where
  message_id = $1;
