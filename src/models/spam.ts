/** The spam model, and the decisions from which it learns. */
import { jobType, singleQueue } from '../platform/database/queue.js';
import { statement } from '../platform/database/statement.js';
import { isModerator } from './moderation/role.js';

export interface StoredModel {
  /** Incremented by each change. */
  version: number;
  spam: number;
  other: number;
  bytes: Buffer;
}

export const SPAM_MODEL = statement<[], StoredModel>(
  'spam_model',
  'select version, spam, other, counts as bytes from spam_model',
);

/** An SQL expression: the version of the current model; 0 without one. */
export const SPAM_VERSION = 'coalesce((select version from spam_model), 0)';

export const LEARN_SPAM = jobType<Record<string, never>>('learn-spam', singleQueue('spam'));

/** Longer texts are learned in part. */
export const MAX_LEARNED_CHARACTERS = 1_000;

export const RECORD_LABEL = statement<
  [text: string, isSpam: boolean, memberId: number | null, deciderId: number | null]
>(
  'record_spam_label',
  `insert into spam_labels (content, is_spam, member_id, decided_by) values (left($1, ${MAX_LEARNED_CHARACTERS}), $2, $3, $4)`,
);

/** `isTrusted`: by a moderator or an operator; `decisions`: those of the member who decided that have been learned. */
export interface Label {
  content: string;
  isSpam: boolean;
  /** Null for an operator. */
  deciderId: number | null;
  isTrusted: boolean;
  decisions: number;
}

/** Removes the oldest ones. */
export const TAKE_LABELS = statement<[maxRows: number], Label>(
  'take_spam_labels',
  `with taken as (
     delete from spam_labels where id = any(array(select id from spam_labels order by id limit $1)) returning *
   )
   select t.content, t.is_spam as "isSpam", t.decided_by as "deciderId",
     t.decided_by is null or ${isModerator('t.decided_by')} as "isTrusted", coalesce(d.decisions, 0) as decisions
   from taken t left join spam_deciders d on d.member_id = t.decided_by order by t.id`,
);

/** Those of operators are not counted. */
export const ADD_DECISIONS = statement<[memberIds: readonly (number | null)[], decisions: readonly number[]]>(
  'add_spam_decisions',
  `insert into spam_deciders as d (member_id, decisions)
   select n.member_id, n.decisions from unnest($1::bigint[], $2::integer[]) n (member_id, decisions)
     join members m on m.id = n.member_id
   on conflict (member_id) do update set decisions = d.decisions + excluded.decisions`,
);

/** Locks the model until the commit, so that versions follow each other. */
export const LOCK_SPAM_MODEL = statement<[], StoredModel>(
  'lock_spam_model',
  'select version, spam, other, counts as bytes from spam_model for update',
);

export const STORE_SPAM_MODEL = statement<[spam: number, other: number, counts: Buffer]>(
  'store_spam_model',
  `insert into spam_model as s (version, spam, other, counts) values (1, $1, $2, $3)
   on conflict (is_only) do update
     set version = s.version + 1, spam = excluded.spam, other = excluded.other, counts = excluded.counts`,
);
