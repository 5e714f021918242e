/** Whether a comment has to wait for approval, as far as its content and the settings decide. */
import type { CommentCheck } from '../../models/comment/held.js';
import type { Config } from '../../platform/config/index.js';
import { countLinks } from './links.js';

/** Null if it does not have to wait, whoever wrote it: no statement is executed then. */
export function checkComment({ config }: { readonly config: Config }, content: string): CommentCheck | null {
  const { approval, maxLinks } = config.comments;
  const isSuspect = approval === 'all' || countLinks(content) > maxLinks;
  const isForNewcomers = approval === 'first';
  return isSuspect || isForNewcomers ? { isSuspect, isForNewcomers, spamScore: null } : null;
}
