/** Whether a comment has to wait for approval, as far as its content and the settings decide. */
import type { CommentCheck } from '../../models/comment/held.js';
import type { Config } from '../../platform/config/index.js';
import { countLinks } from './links.js';
import type { SpamModel } from './spam-model.js';

interface Checks {
  readonly config: Config;
  readonly spamModel: SpamModel;
}

/** Null if it does not have to wait, independent of its author: no statement is executed then. */
export function checkComment({ config, spamModel }: Checks, content: string): CommentCheck | null {
  const { approval, maxLinks, spamThreshold } = config.comments;
  const spamScore = spamModel.scoreOf(content);
  const isSuspect = approval === 'all' || countLinks(content) > maxLinks || (spamScore ?? 0) > spamThreshold;
  const isForNewcomers = approval === 'first';
  return isSuspect || isForNewcomers ? { isSuspect, isForNewcomers, spamScore } : null;
}
