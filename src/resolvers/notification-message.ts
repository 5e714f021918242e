/** The sentence of a notification, from what its row holds. */
import type { NotificationRow } from '../models/notification.js';

type Facts = Pick<NotificationRow, 'type' | 'actorName' | 'articleTitle' | 'outcome'>;

export function notificationMessage({ type, actorName, articleTitle, outcome }: Facts): string {
  switch (type) {
    case 'COMMENT':
      return `${actorName} commented on your article “${articleTitle}”.`;
    case 'REPLY':
      return `${actorName} replied to your comment on “${articleTitle}”.`;
    case 'SUMMARY':
      return outcome === 'COMPLETED'
        ? `The summary of your article “${articleTitle}” is ready.`
        : `The summary of your article “${articleTitle}” could not be made.`;
  }
}
