/** The messages of webhooks, which contain ids and no texts: a receiver reads the object, as far as it is still public. */
import { newMessageId } from '../commands/webhook.js';
import { articleUrl } from '../feeds/feed.js';
import type { Change } from '../models/change.js';
import { parseChangeCursor } from '../models/change-cursor.js';
import type { StoredMessage } from '../models/webhook/delivery.js';
import { BATCH } from '../models/webhook/webhook.js';
import type { Config } from '../platform/config/index.js';

/** @param cursor the feed after the change */
export function messageOf(config: Pick<Config, 'site'>, change: Change, cursor: string): StoredMessage {
  const { type, id, action, changedAt, slug, articleId, parentId, revision } = change;
  const url =
    slug !== null && action !== 'removed' && config.site.hasArticlePages ? articleUrl(config, { id, slug }) : undefined;
  const data = {
    id,
    ...(type === 'article' && { slug, url }),
    ...(type === 'comment' && { articleId, parentId }),
    ...(revision !== null && { revision }),
    cursor,
  };
  return stored(eventOf(change), changedAt, data, action === 'removed' ? null : { type, id });
}

/** One message for what changed between two cursors. */
export function batchMessageOf(since: string, cursor: string, firstAt: Date | string): StoredMessage {
  return stored(BATCH, firstAt, { since, cursor }, null);
}

export function eventOf({ type, action }: Pick<Change, 'type' | 'action'>): string {
  return `${type}.${action}`;
}

function stored(
  event: string,
  at: Date | string,
  data: { readonly cursor: string; readonly since?: string },
  subject: StoredMessage['subject'],
): StoredMessage {
  const { cursor } = data;
  const body = JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data });
  return { id: newMessageId(), event, body, cursor, position: parseChangeCursor(cursor)?.position ?? 0, subject };
}
