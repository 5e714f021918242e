/** What the small forms of the site do, by the field `do`. The result is for scripts. */
import type { TadaDocumentNode } from 'gql.tada';
import { field } from './format';
import { graphql } from './graphql';
import { type Service, ServiceError } from './service';

type Result = Record<string, unknown>;
type Action = (service: Service, form: FormData) => Promise<Result>;

const LIKE = graphql(`mutation Like($id: ID!) {
  result: likeArticle(articleId: $id) { article { id likeCount viewer { liked } } }
}`);
const UNLIKE = graphql(`mutation Unlike($id: ID!) {
  result: unlikeArticle(articleId: $id) { article { id likeCount viewer { liked } } }
}`);
const BOOKMARK = graphql(`mutation Bookmark($id: ID!) { bookmarkArticle(articleId: $id) { bookmarked } }`);
const REMOVE_BOOKMARK = graphql(`mutation RemoveBookmark($id: ID!) { removeBookmark(articleId: $id) { bookmarked } }`);
const FOLLOW = graphql(`mutation Follow($id: ID!) { followMember(memberId: $id) { following } }`);
const UNFOLLOW = graphql(`mutation Unfollow($id: ID!) { unfollowMember(memberId: $id) { following } }`);
const BLOCK = graphql(`mutation Block($id: ID!) { blockMember(memberId: $id) { blocked } }`);
const UNBLOCK = graphql(`mutation Unblock($id: ID!) { unblockMember(memberId: $id) { blocked } }`);
const COMMENT = graphql(`mutation Comment($input: CreateCommentInput!) { createComment(input: $input) { id held } }`);
const EDIT_COMMENT = graphql(`mutation EditComment($id: ID!, $content: String!, $revision: Int) {
  updateComment(id: $id, content: $content, ifRevision: $revision) { id held }
}`);
const DELETE_COMMENT = graphql(`mutation DeleteComment($id: ID!) { deleteComment(id: $id) { id } }`);
const HIDE = graphql(
  `mutation Hide($id: ID!, $hidden: Boolean!) { setCommentHidden(id: $id, hidden: $hidden) { id } }`,
);
const APPROVE = graphql(`mutation Approve($id: ID!, $approved: Boolean!, $revision: Int) {
  setCommentApproval(id: $id, approved: $approved, ifRevision: $revision) { id }
}`);
const REPORT = graphql(`mutation Report($input: ReportContentInput!) { reportContent(input: $input) { id } }`);
const DECIDE = graphql(`mutation Decide($input: DecideInput!, $revision: String) {
  decide(input: $input, ifRevision: $revision) { id }
}`);
const START_DRAFT = graphql(`mutation StartDraft($id: ID!) { startDraft(articleId: $id) { id } }`);
const CREATE_DRAFT = graphql(`mutation CreateDraft($input: DraftInput!) { createDraft(input: $input) { id } }`);
const DELETE_ARTICLE = graphql(`mutation DeleteArticle($id: ID!) { deleteArticle(id: $id) { id } }`);
const VIEW = graphql(`mutation View($id: ID!) { recordView(articleId: $id) }`);
const LOG_OUT = graphql(`mutation LogOut { logout { id } }`);
const END_OTHERS = graphql(`mutation EndOthers { endOtherSessions { id } }`);
const MARK_ALL_READ = graphql(`mutation MarkAllRead { markAllNotificationsRead { unreadNotifications } }`);
const DELETE_PASSKEY = graphql(`mutation DeletePasskey($id: ID!, $password: String) {
  deletePasskey(id: $id, password: $password) { id }
}`);

const idOf = (form: FormData) => field(form, 'id');
const optional = (form: FormData, name: string) => field(form, name) || null;
const key = (form: FormData) => ({ key: field(form, 'key') || undefined });
const revisionOf = (form: FormData) => (form.has('revision') ? Number(field(form, 'revision')) : null);
/** An action that cannot be done any more, and whose purpose is reached. */
const ignoring = async (codes: string, action: Promise<unknown>): Promise<void> => {
  await action.catch((error) => {
    if (!(error instanceof ServiceError) || !codes.includes(error.code)) throw error;
  });
};

const like =
  (document: typeof LIKE | typeof UNLIKE): Action =>
  async (service, form) => {
    const { result } = await service.query(document as typeof LIKE, { id: idOf(form) });
    return { pressed: document === LIKE, count: result.article?.likeCount };
  };

const toggle =
  (document: TadaDocumentNode<unknown, { id: string }>, pressed: boolean): Action =>
  async (service, form) => {
    await service.query(document, { id: idOf(form) });
    return { pressed };
  };

const approval =
  (approved: boolean): Action =>
  async (service, form) => {
    await service.query(APPROVE, { id: idOf(form), approved, revision: revisionOf(form) });
    return {};
  };

const hide =
  (hidden: boolean): Action =>
  async (service, form) => {
    await service.query(HIDE, { id: idOf(form), hidden });
    return {};
  };

export const ACTIONS: Record<string, Action> = {
  like: like(LIKE),
  'un-like': like(UNLIKE),
  bookmark: toggle(BOOKMARK, true),
  'un-bookmark': toggle(REMOVE_BOOKMARK, false),
  follow: toggle(FOLLOW, true),
  'un-follow': toggle(UNFOLLOW, false),
  block: toggle(BLOCK, true),
  'un-block': toggle(UNBLOCK, false),
  comment: async (service, form) => {
    const input = {
      articleId: field(form, 'articleId'),
      parentId: optional(form, 'parentId'),
      content: field(form, 'content'),
    };
    const { createComment } = await service.query(COMMENT, { input }, key(form));
    return { id: createComment.id, notice: createComment.held ? 'commentWaits' : undefined };
  },
  'edit-comment': async (service, form) => {
    await service.query(EDIT_COMMENT, { id: idOf(form), content: field(form, 'content'), revision: revisionOf(form) });
    return {};
  },
  'delete-comment': async (service, form) => {
    await ignoring('COMMENT_NOT_FOUND', service.query(DELETE_COMMENT, { id: idOf(form) }));
    return {};
  },
  hide: hide(true),
  show: hide(false),
  approve: approval(true),
  reject: approval(false),
  report: async (service, form) => {
    const [articleId, commentId, memberId] = ['articleId', 'commentId', 'memberId'].map((name) => optional(form, name));
    const reason = field(form, 'reason') as 'SPAM';
    await service.query(REPORT, {
      input: {
        articleId: articleId ?? null,
        commentId: commentId ?? null,
        memberId: memberId ?? null,
        reason,
        text: field(form, 'text'),
      },
    });
    return { notice: 'reported', unchanged: true };
  },
  decide: async (service, form) => {
    const [articleId, commentId, memberId, appealId, rule, statement, note] = [
      'articleId',
      'commentId',
      'memberId',
      'appealId',
      'rule',
      'statement',
      'note',
    ].map((name) => optional(form, name) ?? null);
    const action = field(form, 'decision') as 'DISMISS';
    const given = { articleId, commentId, memberId, appealId, rule, statement, note } as Record<
      'articleId',
      string | null
    >;
    await service.query(DECIDE, { input: { action, ...given }, revision: optional(form, 'revision') });
    return {};
  },
  'new-draft': async (service) => {
    const { createDraft } = await service.query(CREATE_DRAFT, { input: {} });
    return { to: `/write/${createDraft.id}` };
  },
  'start-draft': async (service, form) => {
    const { startDraft } = await service.query(START_DRAFT, { id: idOf(form) });
    return { to: `/write/${startDraft.id}` };
  },
  'delete-article': async (service, form) => {
    await ignoring('ARTICLE_NOT_FOUND', service.query(DELETE_ARTICLE, { id: idOf(form) }));
    return {};
  },
  view: async (service, form) => {
    await service.query(VIEW, { id: idOf(form) });
    return {};
  },
  logout: async (service) => {
    await ignoring('UNAUTHENTICATED TOKEN_EXPIRED', service.query(LOG_OUT, {}));
    service.session.end();
    return { to: '/' };
  },
  'end-others': async (service) => {
    await service.query(END_OTHERS, {});
    return {};
  },
  'mark-all-read': async (service) => {
    await service.query(MARK_ALL_READ, {});
    return { to: '/notifications' };
  },
  'delete-passkey': async (service, form) => {
    await service.query(DELETE_PASSKEY, { id: idOf(form), password: optional(form, 'password') });
    return {};
  },
};
