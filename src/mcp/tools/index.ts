/** The tools, in the order of `tools/list`. */
import type { Tool } from '../tool.js';
import { READ_TOOLS as read } from './read.js';
import { WRITE_TOOLS as write } from './write.js';

export const TOOLS: readonly Tool[] = [
  read.searchArticles,
  read.listArticles,
  read.readArticle,
  read.readComments,
  write.listDrafts,
  write.readDraft,
  write.saveDraft,
  write.publishDraft,
  write.listReceivedComments,
  write.replyToComment,
  write.setCommentApproval,
  read.articleStatistics,
  read.listChanges,
];
