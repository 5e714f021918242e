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
const all = <Name extends string>(form: FormData, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, optional(form, name)])) as Record<Name, string | null>;
const revisionOf = (form: FormData) => (form.has('revision') ? Number(field(form, 'revision')) : null);

async function done(query: Promise<unknown>, result: Result = {}): Promise<Result> {
  await query;
  return result;
}

/** An action that cannot be done any more, and whose purpose is reached. */
async function ignoring(codes: string, query: Promise<unknown>): Promise<void> {
  await query.catch((error) => {
    if (!(error instanceof ServiceError) || !codes.includes(error.code)) throw error;
  });
}

const like =
  (document: typeof LIKE | typeof UNLIKE): Action =>
  async (service, form) => {
    const { result } = await service.query(document as typeof LIKE, { id: idOf(form) });
    return { pressed: document === LIKE, count: result.article?.likeCount };
  };

const toggle =
  (document: TadaDocumentNode<unknown, { id: string }>, pressed: boolean): Action =>
  (service, form) =>
    done(service.query(document, { id: idOf(form) }), { pressed });

const approval =
  (approved: boolean): Action =>
  (service, form) =>
    done(service.query(APPROVE, { id: idOf(form), approved, revision: revisionOf(form) }));

const hide =
  (hidden: boolean): Action =>
  (service, form) =>
    done(service.query(HIDE, { id: idOf(form), hidden }));

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
    const input = { articleId: field(form, 'articleId'), content: field(form, 'content'), ...all(form, 'parentId') };
    const { createComment } = await service.query(COMMENT, { input }, { key: field(form, 'key') || undefined });
    return { id: createComment.id, notice: createComment.held ? 'commentWaits' : undefined };
  },
  'edit-comment': (service, form) =>
    done(service.query(EDIT_COMMENT, { id: idOf(form), content: field(form, 'content'), revision: revisionOf(form) })),
  'delete-comment': (service, form) =>
    done(ignoring('COMMENT_NOT_FOUND', service.query(DELETE_COMMENT, { id: idOf(form) }))),
  hide: hide(true),
  show: hide(false),
  approve: approval(true),
  reject: approval(false),
  report: (service, form) => {
    const target = all(form, 'articleId', 'commentId', 'memberId');
    const input = { ...target, reason: field(form, 'reason') as 'SPAM', text: field(form, 'text') };
    return done(service.query(REPORT, { input }), { notice: 'reported', unchanged: true });
  },
  decide: (service, form) => {
    const target = all(form, 'articleId', 'commentId', 'memberId', 'appealId');
    const input = {
      ...target,
      ...all(form, 'rule', 'statement', 'note'),
      action: field(form, 'decision') as 'DISMISS',
    };
    return done(service.query(DECIDE, { input, revision: optional(form, 'revision') }));
  },
  'new-draft': async (service) => {
    const { createDraft } = await service.query(CREATE_DRAFT, { input: {} });
    return { to: `/write/${createDraft.id}` };
  },
  'start-draft': async (service, form) => {
    const { startDraft } = await service.query(START_DRAFT, { id: idOf(form) });
    return { to: `/write/${startDraft.id}` };
  },
  'delete-article': (service, form) =>
    done(ignoring('ARTICLE_NOT_FOUND', service.query(DELETE_ARTICLE, { id: idOf(form) }))),
  view: (service, form) => done(service.query(VIEW, { id: idOf(form) })),
  logout: async (service) => {
    await ignoring('UNAUTHENTICATED TOKEN_EXPIRED', service.query(LOG_OUT, {}));
    service.session.end();
    return { to: '/' };
  },
  'end-others': (service) => done(service.query(END_OTHERS, {})),
  'mark-all-read': (service) => done(service.query(MARK_ALL_READ, {}), { to: '/notifications' }),
  'delete-passkey': (service, form) =>
    done(service.query(DELETE_PASSKEY, { id: idOf(form), ...all(form, 'password') })),
};
