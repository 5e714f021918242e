/** What moderators decide. */

export const DECISION_ACTIONS = {
  DISMISS: 'The reports are closed, and nothing else changes.',
  APPROVE: 'A comment that waited for approval is shown.',
  REMOVE: 'The content is removed.',
  RESTORE: 'Removed content is shown again.',
  SUSPEND: 'The member can read, but not write.',
  UNSUSPEND: 'The suspension of the member ends.',
  UPHOLD: 'The decision that was appealed stays.',
} as const;

/** Characters of the rule that was broken. */
export const MAX_RULE_LENGTH = 200;

/** Characters of the texts of reports, statements, notes and appeals. */
export const MAX_REASON_LENGTH = 1_000;

export type DecisionAction = keyof typeof DECISION_ACTIONS;

/** An SQL expression: the kind of content that a decision `d` is about; null for a member, and for what has been deleted. */
export const DECIDED_CONTENT = `case when d.comment_id is not null then 'COMMENT' when d.article_id is not null then 'ARTICLE' end`;
