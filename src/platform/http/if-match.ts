/** The If-Match header (RFC 9110 §13.1.1), or what GraphQL has in its place, compared with the revision of a resource. */
import { AppError, invalid } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { truncate } from '../text.js';

/** What a change is conditional on: the If-Match header as sent, or the argument of a mutation. */
export type Condition = string | { readonly ifRevision: number | string };

/** Characters of the condition in a message. */
const MAX_SHOWN = 60;

/** A list of entity tags, weak or strong, with optional empty elements. */
const TAGS = /^[\s,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,[\s,]*|$))+$/;

/**
 * The revisions of a condition; of the header, the part of each tag before the first dot.
 * @returns null without a condition, and for `*`
 * @throws AppError VALIDATION_FAILED for a malformed header
 */
export function revisionsOf(condition: Condition | null): string[] | null {
  if (condition === null) return null;
  if (typeof condition !== 'string') return [String(condition.ifRevision)];
  const sent = condition.trim();
  if (sent === '*') return null;
  if (!TAGS.test(sent)) throw invalid('If-Match', createMessage('ifMatchInvalid', truncate(sent, MAX_SHOWN)));
  return [...sent.matchAll(/"([^".]*)[^"]*"/g)].map(([, tag = '']) => tag);
}

/**
 * Compares only the part of each tag before the first dot, which is the revision. All tags of this service are weak, and a strong
 * comparison would never succeed: the rest of a tag changes with everything that is shown with the resource, such as the names in it.
 * @throws AppError PRECONDITION_FAILED; VALIDATION_FAILED for a malformed header
 */
export function requireRevision(condition: Condition | null, revision: number | string): void {
  const revisions = revisionsOf(condition);
  if (revisions && !revisions.includes(String(revision))) throw outdated(condition, revision);
}

/** @returns the error PRECONDITION_FAILED */
export function outdated(condition: Condition | null, revision: number | string): AppError {
  const isHeader = condition === null || typeof condition === 'string';
  const [name, sent] = isHeader ? ['If-Match', condition ?? ''] : ['ifRevision', String(condition.ifRevision)];
  const message = createMessage('revisionOutdated', revision, name, truncate(sent.trim(), MAX_SHOWN));
  return new AppError('PRECONDITION_FAILED', { message });
}
