/** Messages about articles, categories, tags and comments, in English. */

export const journal = {
  versionEdited: (edited: number, current: number) =>
    `Version ${edited} was edited, and version ${current} is there: read it again and repeat your change.`,
  noCategoryNamed: (name: string) => `You have no category named ${name}.`,
};
