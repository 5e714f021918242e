/** Builds the message of a notification from its row. */
import { createMessage, type Message } from '../messages/message.js';
import { WITHDRAWN } from '../models/comment/comment.js';
import type { NotificationRow } from '../models/notification/notification.js';

type Facts = Pick<NotificationRow, 'type' | 'actorName' | 'articleTitle' | 'outcome'>;

export function notificationMessage({ type, actorName, articleTitle, outcome }: Facts): Message {
  const actor = actorName ?? WITHDRAWN;
  switch (type) {
    case 'COMMENT':
      return createMessage('commented', actor, articleTitle);
    case 'REPLY':
      return createMessage('replied', actor, articleTitle);
    case 'SUMMARY':
      return createMessage(outcome === 'COMPLETED' ? 'summaryReady' : 'summaryFailed', articleTitle);
  }
}
