/** Runs `daybook article delete`, `daybook comment delete` and `daybook comment hide`. */
import { deleteArticle } from '../../commands/change-article.js';
import { deleteComment, setCommentHidden } from '../../commands/comment.js';
import { Article } from '../../models/article/article.js';
import type { CommentChange } from '../../models/comment/comment.js';
import { ANONYMOUS } from '../../models/reader.js';
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { OperatorError } from '../../platform/errors.js';
import { beginningOf } from '../../platform/text.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import type { Terminal } from '../terminal.js';

const PREVIEW_LENGTH = 60;

interface FoundComment {
  id: number;
  articleId: number;
  memberId: number | null;
  content: string;
  isHidden: boolean;
  isHeld: boolean;
}

const FIND_COMMENT = statement<[id: number], FoundComment>(
  'find_comment_of_operator',
  `select id, article_id as "articleId", member_id as "memberId", content, is_hidden as "isHidden", held_at is not null as "isHeld"
   from all_comments where id = $1 and deleted_at is null`,
);

/** Operators change comments on private articles, too. */
const BY_OPERATOR: CommentChange = { reader: ANONYMOUS, credentialId: null, held: 'all', check: () => {} };

export function removeArticle(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'article delete', options, async (operator) => {
    const article = await Article.findByPk(idFrom(id), { attributes: ['id', 'title', 'memberId'] });
    if (!article) throw new OperatorError(`No article has the ID ${id}`);
    const { title, memberId } = article;
    await operator.confirm(`Delete the article ${JSON.stringify(title)} with its comments`);
    await operator.record({ kind: 'ARTICLE_DELETED', memberId }, (db) =>
      deleteArticle(db, { id: article.id, check: () => {} }),
    );
    operator.print(`Deleted the article ${id}.`);
  });
}

export function removeComment(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'comment delete', options, async (operator) => {
    const comment = await findComment(operator.database, id);
    await operator.confirm(`Delete the comment ${preview(comment)}`);
    await operator.record({ kind: 'COMMENT_DELETED', memberId: comment.memberId }, (db) =>
      deleteComment(db, comment.id, BY_OPERATOR),
    );
    operator.print(`Deleted the comment ${id}.`);
  });
}

export function hideComment(id: string, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'comment hide', options, async (operator) => {
    const comment = await findComment(operator.database, id);
    if (comment.isHeld) throw new OperatorError(`The comment ${id} waits for approval: others do not see it`);
    if (comment.isHidden) throw new OperatorError(`The comment ${id} is already hidden`);
    await operator.confirm(`Hide the comment ${preview(comment)}`);
    const article = await Article.findByPk(comment.articleId, { attributes: ['memberId'] });
    const change = { isHidden: true, memberId: article?.memberId ?? null };
    await setCommentHidden(operator.source, comment.id, change, BY_OPERATOR);
    operator.print(`Hid the comment ${id}.`);
  });
}

async function findComment(database: Database, id: string): Promise<FoundComment> {
  const [comment] = await database.query(FIND_COMMENT, [idFrom(id)]);
  if (!comment) throw new OperatorError(`No comment has the ID ${id}`);
  return comment;
}

/** @throws {OperatorError} unless it is a positive whole number */
function idFrom(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new OperatorError(`The ID must be a positive whole number, not ${JSON.stringify(text)}`);
}

function preview({ content }: FoundComment): string {
  const [line = ''] = content.split('\n');
  return JSON.stringify(line.length > PREVIEW_LENGTH ? `${beginningOf(line, PREVIEW_LENGTH)}…` : line);
}
