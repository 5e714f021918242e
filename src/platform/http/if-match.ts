/** The If-Match header (RFC 9110 §13.1.1), compared with the revision of a resource. */
import { AppError, invalid } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { truncate } from '../text.js';

/** Characters of the header in a message. */
const MAX_SHOWN = 60;

/** A list of entity tags, weak or strong, with optional empty elements. */
const TAGS = /^[\s,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,[\s,]*|$))+$/;

/**
 * The revisions of the header: the part of each tag before the first dot.
 * @returns null without the header, and for `*`
 * @throws AppError VALIDATION_FAILED for a malformed header
 */
export function revisionsOf(ifMatch: string | null): string[] | null {
  const sent = ifMatch?.trim();
  if (sent === undefined || sent === '*') return null;
  if (!TAGS.test(sent)) throw invalid('If-Match', createMessage('ifMatchInvalid', truncate(sent, MAX_SHOWN)));
  return [...sent.matchAll(/"([^".]*)[^"]*"/g)].map(([, tag = '']) => tag);
}

/**
 * Compares only the part of each tag before the first dot, which is the revision. All tags of this service are weak, and a strong
 * comparison would never succeed: the rest of a tag changes with everything that is shown with the resource, such as the names in it.
 * @param ifMatch null without the header
 * @throws AppError PRECONDITION_FAILED; VALIDATION_FAILED for a malformed header
 */
export function requireRevision(ifMatch: string | null, revision: number | string): void {
  const revisions = revisionsOf(ifMatch);
  if (revisions && !revisions.includes(String(revision))) throw outdated(ifMatch, revision);
}

/** @returns the error PRECONDITION_FAILED */
export function outdated(ifMatch: string | null, revision: number | string): AppError {
  const sent = truncate(ifMatch?.trim() ?? '', MAX_SHOWN);
  return new AppError('PRECONDITION_FAILED', { message: createMessage('revisionOutdated', revision, sent) });
}
