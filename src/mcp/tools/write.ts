/** Tools for drafts, their publication, and answers to comments. */
import { METADATA_NAMES } from '../../models/article/metadata.js';
import { CONDITIONS, ID, IF_REVISION, PAGE, PAGINATION, REQUEST_ID, type Tool } from '../tool.js';

const DRAFT = `draftId: id articleId title ${METADATA_NAMES.join(' ')} category tags slug visibility imageId publishAt baseRevision revision updatedAt`;

const DRAFT_ID = { description: 'The id from list_drafts or save_draft.' };

const listDrafts: Tool = {
  name: 'list_drafts',
  title: 'List drafts',
  description:
    'List the drafts of the user, last changed first: texts that nobody else sees. Use it to find the draft that the user means; read_draft has the text.',
  effect: 'read',
  args: {
    scheduled: { description: 'True: only those with a time of publication; false: only those without.' },
    ...PAGE,
  },
  calls: [{ endpoint: 'GET /drafts', output: `drafts: contents { ${DRAFT} excerpt publicationError } ${PAGINATION}` }],
};

const readDraft: Tool = {
  name: 'read_draft',
  title: 'Read a draft',
  description:
    'Read the whole text of one draft in Markdown, with its `revision`. Use it before you change a draft: the user may have edited it since.',
  effect: 'read',
  args: { draftId: DRAFT_ID },
  calls: [{ endpoint: 'GET /drafts/{draftId}', output: `${DRAFT} publicationError content` }],
};

const saveDraft: Tool = {
  name: 'save_draft',
  title: 'Save a draft',
  description:
    'Write a text for the user that nobody else sees until it is published. New text: give `requestId`, `title` and `content`. Existing draft: give `draftId`, `ifRevision` and ' +
    'the fields that change; others stay. To edit a published article: first give `articleId` alone, which starts its draft and returns its text, then save that draft.',
  effect: 'save',
  args: {
    draftId: { description: 'The draft to change.' },
    articleId: { description: 'The article to start a draft of, without any other argument.' },
    [IF_REVISION]: CONDITIONS[IF_REVISION],
    [REQUEST_ID]: {
      ...CONDITIONS[REQUEST_ID],
      description: `Only for a new draft. ${CONDITIONS[REQUEST_ID].description}`,
    },
    title: { description: 'One line.' },
    content: { description: 'The whole text in Markdown; it replaces the previous one.' },
    category: { description: 'Name of a category of the user; empty: none.' },
    tags: { description: 'All tags; they replace the previous ones.' },
    ...Object.fromEntries(METADATA_NAMES.map((name) => [name, {}])),
    slug: { description: 'Last part of the address; leave it out to get one from the title.' },
    visibility: { description: 'Who will see the article when it is published.' },
    imageId: { description: 'An uploaded image of the user, as the picture of the article.' },
    articleImgAlt: { description: 'What the picture shows.' },
    removeImage: { description: 'True: without a picture. Only with `draftId`.' },
    baseRevision: {
      description:
        'Only with `draftId`: the revision of the article whose changes you have merged, after REVISION_CONFLICT.',
    },
  },
  calls: [
    { endpoint: 'PATCH /drafts/{draftId}', when: 'draftId', conditions: [IF_REVISION], output: DRAFT },
    { endpoint: 'PUT /articles/{articleId}/draft', when: 'articleId', output: `${DRAFT} content` },
    { endpoint: 'POST /drafts', conditions: [REQUEST_ID], output: DRAFT },
  ],
};

const publishDraft: Tool = {
  name: 'publish_draft',
  title: 'Publish a draft',
  description:
    'Make a draft public, now or at a time: only when the user has asked for it. The draft becomes an article, or an edit of its article, and ends. ' +
    'Needs a token with `articles`; with `drafts`, ask the user to publish it.',
  effect: 'replace',
  args: {
    draftId: DRAFT_ID,
    publishAt: {
      description: 'UTC, one minute to a year ahead, such as 2026-11-20T09:30:00. Leave it out to publish now.',
    },
    [IF_REVISION]: {
      ...CONDITIONS[IF_REVISION],
      description: 'The revision that the user has approved. With another current one, nothing is published.',
    },
  },
  calls: [
    {
      endpoint: 'PUT /drafts/{draftId}/schedule',
      when: 'publishAt',
      conditions: [IF_REVISION],
      output: 'draftId: id articleId title slug visibility publishAt revision',
    },
    {
      endpoint: 'POST /drafts/{draftId}/publish',
      conditions: [IF_REVISION],
      output: 'articleId: id title slug visibility revision createdAt',
    },
  ],
};

const COMMENT = 'commentId: id content author memberId articleId parentId';

const listReceivedComments: Tool = {
  name: 'list_received_comments',
  title: 'List received comments',
  description:
    'List what others wrote on the articles of the user, newest first. Use it to find what to answer; with `held`, what waits for approval and nobody else sees.',
  effect: 'read',
  args: { held: { description: 'True: only those that wait for approval. Otherwise: none of these.' }, ...PAGE },
  calls: [
    {
      endpoint: 'GET /comments/me/received',
      output: `comments: contents { ${COMMENT} createdAt hidden held removed } ${PAGINATION}`,
    },
  ],
};

const replyToComment: Tool = {
  name: 'reply_to_comment',
  title: 'Reply to a comment',
  description:
    'Publish an answer to a comment as the user: show the text to the user first. Everyone sees it, and the author of the comment is notified. ' +
    'Replies are one level deep: to answer a reply, give the `parentId` of the reply as `commentId`.',
  effect: 'add',
  args: {
    articleId: { description: 'The article of the comment.' },
    commentId: { description: 'The comment to answer.', input: 'parentCommentId', schema: ID, isRequired: true },
    content: { description: 'The answer.' },
    [REQUEST_ID]: CONDITIONS[REQUEST_ID],
  },
  calls: [
    { endpoint: 'POST /articles/{articleId}/comments', conditions: [REQUEST_ID], output: `${COMMENT} createdAt held` },
  ],
};

const setCommentApproval: Tool = {
  name: 'set_comment_approval',
  title: 'Approve or delete a held comment',
  description:
    'Decide on a comment that waits for approval on an article of the user (list_received_comments with `held`): approve it, so that everyone sees it, or delete it for good.',
  effect: 'replace',
  args: {
    commentId: { description: 'The comment that waits.' },
    approved: { description: 'True: publish it. False: delete it; this cannot be undone.' },
  },
  calls: [{ endpoint: 'PUT /comments/{commentId}/approval', output: `${COMMENT} hidden held removed` }],
};

export const WRITE_TOOLS = {
  listDrafts,
  readDraft,
  saveDraft,
  publishDraft,
  listReceivedComments,
  replyToComment,
  setCommentApproval,
};
