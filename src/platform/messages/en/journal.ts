/** Messages about articles, categories, tags and comments, in English. */

export const journal = {
  versionOutdated: (edited: number, current: number) =>
    `The change is based on version ${edited}, but the current version is ${current}: read it again and repeat your change.`,
  onlyArticleAuthorHides: 'Only the author of the article can hide its comments.',
  onlyArticleAuthorApproves: 'Only the author of the article or a moderator can approve its comments.',
  removedByModerator: 'A moderator has removed it: you can read and delete it, but not change it.',
  changesAreFilled: 'The changes of this journal are being collected for the first time: try again in some seconds.',
  noOwnArticle: (id: string) => `None of your articles has the ID ${id}.`,
  noCategoryNamed: (name: string) => `You have no category named ${name}.`,
};
