/** Private articles and held comments are only in the base tables: what names these is listed here with its reason, and everything else reads public articles. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { rowsOf } from '../../support/imported.js';

const app = useApp();

const BASE_TABLE = /\b(?:all_article(?:s|_tags)|all_comments|held_comments)\b/;
const MODEL_READ = /\bArticle\.(?:find|count|update|destroy)/;

const READER = 'The member who reads is a parameter, and the condition is readableBy or stricter.';
const OWN = 'For the member whose content it is, who is a parameter.';
const WRITE = 'A command that checks the author under the lock of the row.';
const DECISION = 'A command that checks the role of the moderator under locks.';
const JOB = 'A job: only the author sees its result.';
const OPERATOR = 'A command for operators, an import or a migration.';
const SHARED = 'For everyone who has the token of a share link.';
const MODERATORS = 'For moderators only, who see no content of private articles.';
const PUBLIC = 'Its condition is that of public articles.';
const PART = 'A part of statements, each of which has its own condition.';

/** Statements and parts of them that name a base table. */
const LISTED: Readonly<Record<string, string>> = {
  'cli/backup/verify.ts describeContents': OPERATOR,
  'cli/export/comments.ts FIRST_REPLIES': OPERATOR,
  'cli/export/comments.ts REPLIES': OPERATOR,
  'cli/export/comments.ts TOP_LEVEL': OPERATOR,
  'cli/export/markdown.ts LEFT_OUT': OPERATOR,
  'import/articles.ts ADD_ARTICLE': OPERATOR,
  'import/articles.ts FIND_ARTICLE': OPERATOR,
  'import/preview.ts COUNT_IN_SERIES': OPERATOR,
  'import/references.ts FIND_TEXT': OPERATOR,
  'import/references.ts REPLACE_CONTENT': OPERATOR,
  'import/references.ts SET_IMAGE': OPERATOR,
  'cli/moderation/run.ts FIND_COMMENT': OPERATOR,
  'import/series.ts ADD_TO_SERIES': OPERATOR,
  'cli/moderation/run.ts hideComment': OPERATOR,
  'cli/moderation/run.ts removeArticle': OPERATOR,
  'cli/restore/load.ts DatabaseLoad': OPERATOR,
  'cli/restore/unused.ts clearUnused': OPERATOR,
  'cli/restore/unused.ts isJournal': OPERATOR,
  'cli/seed/load-sample.ts ADD_BOOKMARKS': OPERATOR,
  'cli/seed/load-sample.ts ADD_FOLLOWS': OPERATOR,
  'cli/seed/load-sample.ts ADD_LIKES': OPERATOR,
  'cli/seed/load-sample.ts COUNT_ROWS': OPERATOR,
  'export/markdown-texts.ts ALL': OPERATOR,
  'export/markdown-texts.ts FORMER_SLUGS': OPERATOR,
  'export/markdown-texts.ts OF_MEMBER': OWN,
  'export/markdown-texts.ts PRIVATE_ARTICLES': OPERATOR,
  'export/member-files.ts LEFT_OUT': 'Reasons, and no statement.',
  'export/markdown-texts.ts SERIES_OF_ARTICLES': OPERATOR,
  'export/member-files.ts MEMBER_FILES': OWN,
  'export/member-files.ts articlesIn': READER,
  'models/article/article.ts ARTICLES_BY_ID': READER,
  'models/article/article.ts ARTICLE_BY_SLUG': READER,
  'models/article/article.ts Article': WRITE,
  'models/article/article.ts NEIGHBORS': READER,
  'models/article/article.ts REMOVED_ARTICLES_BY_ID': READER,
  'models/article/article.ts articleSource': PART,
  'models/article/translation.ts BEGIN_TRANSLATIONS': WRITE,
  'models/article/translation.ts COUNT_TRANSLATIONS': WRITE,
  'models/article/translation.ts FIND_TRANSLATED': WRITE,
  'models/article/translation.ts LOCK_FOR_TRANSLATION': WRITE,
  'models/article/translation.ts TRANSLATION_KEYS': OPERATOR,
  'import/translations.ts FIND_TRANSLATIONS': OPERATOR,
  'models/article/filters.ts conditionsOf': PART,
  'models/article/html.ts ARTICLES_WITHOUT_TEXT': JOB,
  'models/article/html.ts NEXT_WITHOUT_TEXT': JOB,
  'models/article/html.ts REPLACE_RENDERING': JOB,
  'models/article/html.ts renderingOf': PART,
  'models/article/list.ts ALL': OWN,
  'models/article/related.ts findRelated': READER,
  'models/article/related.ts relatedIds': READER,
  'models/article/revision.ts ADD_REVISION_OF_TAGS': WRITE,
  'models/article/revision.ts ARTICLES_WITH_OLD_REVISIONS': JOB,
  'models/article/revision.ts THIN_REVISIONS': WRITE,
  'models/article/trend.ts REFRESH_TRENDS': JOB,
  'models/bookmark.ts bookmarkStatement': READER,
  'models/bookmark.ts findBookmarks': READER,
  'models/category.ts MOVE_ARTICLES': WRITE,
  'models/comment/comment.ts LOCK_HELD_COMMENT': WRITE,
  'models/comment/comment.ts OWN_COMMENTS': OWN,
  'models/comment/comment.ts lockedArticle': PART,
  'models/comment/create.ts FIND_PLACE': 'The author of the comment, which is locked and was checked.',
  'models/comment/create.ts INSERT_HELD_COMMENT': WRITE,
  'models/comment/held.ts COPY_TO_HELD': WRITE,
  'models/comment/held.ts DELETE_HELD_COMMENT': WRITE,
  'models/comment/held.ts EDIT_HELD_COMMENT': WRITE,
  'models/comment/held.ts HELD_COMMENTS_BY_ID': READER,
  'models/comment/held.ts MUST_BE_HELD': WRITE,
  'models/comment/held.ts SHOW_HELD_COMMENT': WRITE,
  'models/comment/list.ts HELD_FOR_AUTHOR': READER,
  'models/comment/list.ts LISTS': READER,
  'models/comment/list.ts OF_ARTICLE': READER,
  'models/comment/list.ts ON_ANY_ARTICLE': OWN,
  'models/comment/page.ts pageStatement': READER,
  'models/comment/position.ts statementsFor': READER,
  'models/decision/case.ts BYTES_OF_TARGET': MODERATORS,
  'models/decision/case.ts FIND_TARGET': 'A command that checks the role of the moderator under a lock.',
  'models/decision/report.ts OPEN_CASE': READER,
  'models/draft/draft.ts draftExists': 'It hides drafts of private articles from API tokens.',
  'models/draft/draft.ts ARTICLE_TO_DRAFT': WRITE,
  'models/draft/draft.ts START_DRAFT': WRITE,
  'models/draft/publication.ts CONFLICTS_OF_DRAFT': WRITE,
  'models/image.ts ARTICLE_WITH_IMAGE': OWN,
  'models/image.ts PLACED_IMAGES': OWN,
  'models/image.ts USE_OF_IMAGE': JOB,
  'models/member/account.ts DELETE_UNCONFIRMED': JOB,
  'models/member/claim.ts CLAIM_ARTICLES': OPERATOR,
  'models/member/claim.ts CLAIM_CATEGORIES': OPERATOR,
  'models/moderation/removal.ts REMOVED_ARTICLES': JOB,
  'models/moderation/removal.ts REMOVE_ARTICLE': DECISION,
  'models/moderation/removal.ts RESTORE_ARTICLE': DECISION,
  'models/notification/create.ts NOTIFY_OF_SUMMARY': JOB,
  'models/notification/list.ts IS_PRIVATE': READER,
  'models/notification/list.ts countPrivate': READER,
  'models/decision/appeal.ts DECISION_TO_MAIL': OWN,
  'models/decision/appeal.ts LOCK_APPEALED_CONTENT': OWN,
  'models/member/removal.ts ANONYMIZE_COMMENTS': JOB,
  'models/member/removal.ts LOCK_ARTICLES': 'A withdrawal.',
  'models/member/removal.ts REMOVE_IMAGES_OF_WITHDRAWN': JOB,
  'models/reaction.ts additionOf': READER,
  'models/reaction.ts removalOf': READER,
  'models/series.ts articleIdsFor': OWN,
  'models/share-link.ts SHARED_TEXT': SHARED,
  'models/share-link.ts SHARES': OWN,
  'models/share-link.ts isArticleRemoved': PART,
  'models/summary.ts LOCK_ARTICLE_FOR_SUMMARY': JOB,
  'models/summary.ts SET_SUMMARY': JOB,
  'models/summary.ts START_SUMMARY': JOB,
  'models/summary.ts recordRequest': WRITE,
  'models/tag.ts ADD_TAGS': WRITE,
  'models/tag.ts LOCK_TAGS_OF_MEMBER': WRITE,
  'models/tag.ts TAG_ARTICLE': WRITE,
  'models/tag.ts UNTAG_ARTICLE': WRITE,
  'models/view.ts ARTICLE_STATISTICS': OWN,
  'models/viewer.ts ARTICLE_VIEWERS': READER,
  'platform/database/table-locks.ts ORDER': OPERATOR,
};

/** The same for functions and views. */
const LISTED_IN_DATABASE: Readonly<Record<string, string>> = {
  all_comments: PART,
  article_of_comment: READER,
  article_search_row: 'What a search by the author or by everyone finds, as the row of the index says.',
  article_tags: PUBLIC,
  articles: PUBLIC,
  comment_seen_by: 'It shows that a comment is held, and nothing of it.',
  content_of_target: MODERATORS,
  content_revision: MODERATORS,
  current_object: PUBLIC,
  decision_of_notification: READER,
  named_by_draft: OWN,
  notification_seen_by: READER,
  open_cases: MODERATORS,
  public_articles_of_series: PUBLIC,
  queued_comments: MODERATORS,
  search_tags: 'A part of the index, whose rows say who reads them.',
  series_of_author: OWN,
  shown_with_article: PUBLIC,
  shown_with_draft: OWN,
  shows_removed: READER,
};

describe('Functions of the database', () => {
  it('do not name the views of public articles, which would hide private rows from triggers', async () => {
    const found = await rowsOf<{ name: string }>(
      app.database,
      `select proname as name from pg_proc where pronamespace = current_schema()::regnamespace
         and prosrc ~* '\\m(from|join|into|update|using|table)\\s+(only\\s+)?(articles|article_tags)\\M'`,
    );
    expect(found).to.deep.equal([]);
  });
});

describe('Functions and views that statements read', () => {
  it('and that name a base table of articles are listed with their reasons', async () => {
    const found = await rowsOf<{ name: string }>(
      app.database,
      `select name from (
         select proname as name, prosrc as text from pg_proc p join pg_language l on l.oid = p.prolang
         where lanname = 'sql' and provolatile = 's' and pronamespace = current_schema()::regnamespace
         union all select viewname, definition from pg_views where schemaname = current_schema()
       ) d where text ~ '${BASE_TABLE.source.replaceAll('\\b', '\\y')}' group by name order by name collate "C"`,
    );
    expect(found.map(({ name }) => name)).to.deep.equal(Object.keys(LISTED_IN_DATABASE));
  });
});

describe('Statements', () => {
  it('that name a base table of articles are listed with their reasons', async () => {
    const declarations = await declarationsIn(fileURLToPath(new URL('../../../../src', import.meta.url)));
    const found = declarations.filter(({ text }) => BASE_TABLE.test(text) || MODEL_READ.test(text));
    expect(found.map(({ path }) => path).sort()).to.deep.equal(Object.keys(LISTED).sort());
  });
});

describe('The tags of existing articles', () => {
  it('are changed by the command that stores a revision of them only', async () => {
    const declarations = await declarationsIn(fileURLToPath(new URL('../../../../src', import.meta.url)));
    const naming = (pattern: RegExp) =>
      declarations.filter(({ path, text }) => !path.endsWith(' ') && pattern.test(text)).map(({ path }) => path);
    expect(naming(/\bUNTAG_ARTICLE\b|(?:delete from|update) (?:all_)?article_tags\b/).sort()).to.deep.equal([
      'commands/change-article.ts updateArticle',
      'models/tag.ts UNTAG_ARTICLE',
    ]);
    expect(naming(/query\(TAG_ARTICLE\b/).sort()).to.deep.equal([
      'commands/change-article.ts updateArticle',
      'commands/create-article.ts insertArticle',
    ]);
  });
});

/** The top-level declarations of all modules, by their files and names, without comments. */
async function declarationsIn(folder: string): Promise<{ path: string; text: string }[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found = await Promise.all(
    files.map(async (file) => {
      const source = (await readFile(join(folder, file), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return source.split(/^(?=@|export |const |function |async function |class )(?<!^@[^\n]*\n)/m).map((text) => {
        const [, name = ''] = /(?:const|function|class) (\w+)/.exec(text) ?? [];
        return { path: `${file} ${name}`, text };
      });
    }),
  );
  return found.flat();
}
