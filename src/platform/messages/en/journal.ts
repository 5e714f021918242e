/** Messages about articles, categories, tags and comments, in English. */

export const journal = {
  baseRevisionOutdated: (base: number, current: number) =>
    `The draft is based on revision ${base} of the article, but the current one is ${current}: read the article again, and save the draft with this \`baseRevision\`.`,
  onlyArticleAuthorHides: 'Only the author of the article can hide its comments.',
  onlyArticleAuthorApproves: 'Only the author of the article or a moderator can approve its comments.',
  removedByModerator: 'A moderator has removed it: you can read and delete it, but not change it.',
  changesAreFilled: 'The changes of this journal are being collected for the first time: try again in some seconds.',
  webhookLimitReached: (max: number) => `The service can have at most ${max} webhooks: delete one first.`,
  webhookCursorExpired:
    'The changes after this position are not complete any more: resume the webhook with `latest`, and let its receiver read the journal again.',
  noOwnArticle: (id: string) => `None of your articles has the ID ${id}.`,
  noCategoryNamed: (name: string) => `You have no category named ${name}.`,
};
