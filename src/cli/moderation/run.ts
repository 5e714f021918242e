/** Runs `daybook article delete`, `daybook comment delete` and `daybook comment hide`. */
import { deleteArticle } from '../../commands/delete-article.js';
import { deleteComment } from '../../commands/delete-comment.js';
import { setCommentHidden } from '../../commands/set-comment-hidden.js';
import { Article } from '../../models/article/article.js';
import { Comment, type CommentChange } from '../../models/comment/comment.js';
import { OperatorError } from '../../platform/errors.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import type { Terminal } from '../terminal.js';

const PREVIEW_LENGTH = 60;

/** Operators change comments on private articles, too. */
const BY_OPERATOR: CommentChange = { articleReaderId: 0, accessId: null, check: () => {} };

export function removeArticle(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'article delete', options, async (operator) => {
    const article = await Article.findByPk(idFrom(id), { attributes: ['id', 'title', 'memberId'] });
    if (!article) throw new OperatorError(`No article has the ID ${id}`);
    const { title, memberId } = article;
    await operator.confirm(`Delete the article ${JSON.stringify(title)} with its comments`);
    const { database } = operator.recording({ kind: 'ARTICLE_DELETED', memberId });
    await deleteArticle(database, article.id, () => {});
    operator.print(`Deleted the article ${id}.`);
  });
}

export function removeComment(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'comment delete', options, async (operator) => {
    const comment = await findComment(id);
    await operator.confirm(`Delete the comment ${preview(comment)}`);
    const { database } = operator.recording({ kind: 'COMMENT_DELETED', memberId: comment.memberId });
    await deleteComment(database, comment.id, BY_OPERATOR);
    operator.print(`Deleted the comment ${id}.`);
  });
}

export function hideComment(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'comment hide', options, async (operator) => {
    const comment = await findComment(id);
    if (comment.isHidden) throw new OperatorError(`The comment ${id} is already hidden`);
    await operator.confirm(`Hide the comment ${preview(comment)}`);
    const article = await Article.findByPk(comment.articleId, { attributes: ['memberId'] });
    const change = { isHidden: true, memberId: article?.memberId ?? null };
    await setCommentHidden(operator.source, comment.id, change, BY_OPERATOR);
    operator.print(`Hid the comment ${id}.`);
  });
}

async function findComment(id: string): Promise<Comment> {
  const comment = await Comment.findByPk(idFrom(id));
  if (!comment || comment.deletedAt) throw new OperatorError(`No comment has the ID ${id}`);
  return comment;
}

/** @throws {OperatorError} unless it is a positive whole number */
function idFrom(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new OperatorError(`The ID must be a positive whole number, not ${JSON.stringify(text)}`);
}

function preview({ content }: Comment): string {
  const [line = ''] = content.split('\n');
  return JSON.stringify(line.length > PREVIEW_LENGTH ? `${line.slice(0, PREVIEW_LENGTH)}…` : line);
}
