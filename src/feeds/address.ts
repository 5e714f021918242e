/** Parses the paths of feeds into scope, format and canonical path. */
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import type { FeedScope } from '../models/feed-stamp.js';
import { normaliseTag } from '../models/tag.js';
import { writeAtom } from './atom.js';
import type { Feed } from './feed.js';
import { writeJsonFeed } from './json-feed.js';
import { writeRss } from './rss.js';

export interface FeedFormat {
  contentType: string;
  write(feed: Feed): string;
}

const FORMATS = {
  xml: { contentType: 'application/rss+xml; charset=utf-8', write: writeRss },
  atom: { contentType: 'application/atom+xml; charset=utf-8', write: writeAtom },
  json: { contentType: 'application/feed+json; charset=utf-8', write: writeJsonFeed },
} as const satisfies Record<string, FeedFormat>;

export interface FeedAddress {
  scope: FeedScope;
  format: FeedFormat;
  /** The canonical path. */
  path: string;
  /** The route pattern, for logs. */
  route: string;
}

const PATTERN = /^(?:\/(members|tags)\/([^/]+))?\/feed\.(xml|atom|json)$/;

/** @param path the raw, percent-encoded path. @returns null for other paths. @throws AppError BAD_REQUEST for invalid encoding */
export function readFeedAddress(path: string): FeedAddress | null {
  const [, kind, segment = '', extension] = PATTERN.exec(path) ?? [];
  if (extension === undefined) return null;
  const file = `/feed.${extension}`;
  const format = FORMATS[extension as keyof typeof FORMATS];
  if (kind === undefined) return { scope: { kind: 'all' }, format, path: file, route: file };
  const name = decode(segment);
  if (kind === 'members') {
    const own = `/members/${encodeURIComponent(name)}${file}`;
    return { scope: { kind: 'member', id: name }, format, path: own, route: `/members/{id}${file}` };
  }
  const tag = normaliseTag(name.trim());
  const own = `/tags/${encodeURIComponent(tag)}${file}`;
  return { scope: { kind: 'tag', tag }, format, path: own, route: `/tags/{tag}${file}` };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: createMessage('invalidPercentEncoding'), cause });
  }
}
