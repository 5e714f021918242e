/** The sentence of a notification, for both APIs, streams and emails. */
import { createMessage, type Message } from '../../platform/messages/message.js';
import { WITHDRAWN } from '../member/member.js';
import type { NotificationRow, NotifiedDecision } from './notification.js';

export type NotificationData = Pick<
  NotificationRow,
  'type' | 'actorName' | 'commentId' | 'draftId' | 'title' | 'outcome' | 'likes' | 'decision'
>;

/** @param insert prepares the names and titles of members for the text around them */
export function notificationMessage(
  { type, actorName, commentId, draftId, title: given, outcome, likes, decision }: NotificationData,
  insert = (text: string) => text,
): Message {
  const actor = insert(actorName ?? WITHDRAWN);
  const title = insert(given);
  switch (type) {
    case 'COMMENT':
      return createMessage('commented', actor, title);
    case 'REPLY':
      return createMessage('replied', actor, title);
    case 'LIKE':
      return createMessage('liked', likes ?? 0, title);
    case 'FOLLOW':
      return createMessage('followed', actor);
    case 'ARTICLE':
      return createMessage('articlePublished', actor, title);
    case 'MENTION':
      return createMessage(commentId === null ? 'mentioned' : 'mentionedInComment', actor, title);
    case 'SUMMARY':
      return createMessage(outcome === 'COMPLETED' ? 'summaryReady' : 'summaryFailed', title);
    case 'PUBLICATION':
      if (draftId === null) return createMessage('published', title);
      return title === '' ? createMessage('untitledNotPublished') : createMessage('notPublished', title);
    case 'MODERATION':
      // A notification of this type has a decision.
      return decisionMessage(decision as NotifiedDecision, title);
  }
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
