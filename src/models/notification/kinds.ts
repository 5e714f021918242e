/** The types of notifications: what they are about, their settings, and their sentences, for both APIs, streams and emails. */
import type { DecidedContent } from '../../platform/messages/en/notifications.js';
import { createMessage, type Message } from '../../platform/messages/message.js';
import { WITHDRAWN } from '../member/member.js';
import type { DecisionAction } from '../moderation/action.js';

/** Results of generating a summary, with their meanings. */
export const SUMMARY_OUTCOMES = {
  COMPLETED: 'The summary is available.',
  FAILED: 'The summary could not be generated.',
} as const;

export type SummaryOutcome = keyof typeof SUMMARY_OUTCOMES;

/** What a notification says about a decision of a moderator. */
export interface NotifiedDecision {
  /** Null for the member who reported what was decided on, and who does not read the decision. */
  readonly id: number | null;
  readonly action: DecisionAction;
  /** What was decided on, unless it is a member, or has been deleted. */
  readonly target: DecidedContent | null;
}

/** What sentences are made of: columns of a notification (`NOTIFICATION`). */
interface Reported {
  readonly title: string;
  readonly commentId: number | null;
  readonly draftId: number | null;
  readonly outcome: SummaryOutcome | null;
  readonly likes: number | null;
  readonly decision: NotifiedDecision | null;
}

interface Kind {
  readonly meaning: string;
  /** @param reported with the name of the actor; names and titles are prepared for the text around them */
  readonly sentence: (reported: Reported & { readonly actor: string }) => Message;
  /** A member caused the notification, and is named in it. */
  readonly hasActor?: true;
  /** Members who have not changed the setting of the type get no notifications of it. */
  readonly isOffAtFirst?: true;
}

const KINDS = {
  COMMENT: {
    meaning: 'Another member commented on your article.',
    sentence: ({ actor, title }) => createMessage('commented', actor, title),
    hasActor: true,
  },
  REPLY: {
    meaning: 'Another member replied to your comment.',
    sentence: ({ actor, title }) => createMessage('replied', actor, title),
    hasActor: true,
  },
  SUMMARY: {
    meaning: 'The summary of your article was completed or failed.',
    sentence: ({ outcome, title }) => createMessage(outcome === 'COMPLETED' ? 'summaryReady' : 'summaryFailed', title),
  },
  PUBLICATION: {
    meaning: 'Your draft was published at its time, or could not be published.',
    sentence: ({ draftId, title }) => {
      if (draftId === null) return createMessage('published', title);
      return title === '' ? createMessage('untitledNotPublished') : createMessage('notPublished', title);
    },
  },
  LIKE: {
    meaning: 'Other members like your article: one notification for all of them.',
    sentence: ({ likes, title }) => createMessage('liked', likes ?? 0, title),
    isOffAtFirst: true,
  },
  FOLLOW: {
    meaning: 'Another member follows you.',
    sentence: ({ actor }) => createMessage('followed', actor),
    hasActor: true,
  },
  ARTICLE: {
    meaning: 'A member whom you follow published an article.',
    sentence: ({ actor, title }) => createMessage('articlePublished', actor, title),
    hasActor: true,
  },
  MENTION: {
    meaning: 'Another member mentioned you in an article or a comment.',
    sentence: ({ commentId, actor, title }) =>
      createMessage(commentId === null ? 'mentioned' : 'mentionedInComment', actor, title),
    hasActor: true,
  },
  MODERATION: {
    meaning:
      'A moderator decided on your content, your account or your appeal, or on what you reported. It cannot be switched off.',
    // A notification of this type has a decision.
    sentence: ({ decision, title }) => decisionMessage(decision as NotifiedDecision, title),
  },
} as const satisfies Record<string, Kind>;

export type NotificationKind = keyof typeof KINDS;

/** Types of notifications. Migrations permit them in the tables. */
export const NOTIFICATION_KINDS: Readonly<Record<NotificationKind, Kind>> = KINDS;

export type NotificationData = Reported & { readonly type: NotificationKind; readonly actorName: string | null };

/** @param insert prepares the names and titles of members for the text around them */
export function notificationMessage(data: NotificationData, insert = (text: string) => text): Message {
  const [actor, title] = [insert(data.actorName ?? WITHDRAWN), insert(data.title)];
  return NOTIFICATION_KINDS[data.type].sentence({ ...data, actor, title });
}

/** @param title of the article that was decided on, or whose comment was; empty without one, or if the reader does not see it */
export function decisionMessage({ id, action, target }: NotifiedDecision, title: string): Message {
  if (id === null) {
    if (action === 'REMOVE') return createMessage('reportedRemoved', target, title);
    return action === 'SUSPEND' ? createMessage('reportActedOn') : createMessage('reportDismissed', target, title);
  }
  switch (action) {
    case 'REMOVE':
      return createMessage('contentRemoved', target, title);
    case 'SUSPEND':
      return createMessage('suspended');
    case 'UNSUSPEND':
      return createMessage('unsuspended');
    case 'UPHOLD':
      return createMessage('decisionUpheld');
    default:
      return createMessage('contentRestored', target, title);
  }
}

/** SQL literals of the types with a property. */
export const kindsWith = (property: 'hasActor' | 'isOffAtFirst'): string =>
  Object.entries(NOTIFICATION_KINDS)
    .flatMap(([name, kind]) => (kind[property] ? [`'${name}'`] : []))
    .join(', ');

/** Whether a member who has not changed the setting of a type gets its notifications. */
export const isOnAtFirst = (kind: NotificationKind): boolean => !NOTIFICATION_KINDS[kind].isOffAtFirst;

/** The types that members switch on and off. Decisions of moderators reach everyone whom they concern, by email too (`MailValues.decision`). */
export type SettableKind = Exclude<NotificationKind, 'MODERATION'>;

const isSettable = (kind: NotificationKind): kind is SettableKind => kind !== 'MODERATION';

export const SETTABLE_KINDS = (Object.keys(NOTIFICATION_KINDS) as NotificationKind[]).filter(isSettable);

/** An SQL condition: the type is enabled for the recipient with the setting `s`, if there is one. */
export const settingOf = (kind: NotificationKind): string => `coalesce(s.enabled, ${isOnAtFirst(kind)})`;
