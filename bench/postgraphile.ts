/** PostGraphile on the same data: its start, and the request for a page of comments with the data of REST. */
import type { PageWanted } from './cases.js';
import { startContender } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { paginate } from './floor-server.js';
import type { Contender } from './measure.js';
import { graphqlRequest, PAGE_SIZE } from './requests.js';
import type { AtEnd } from './session.js';

export async function startPostgraphile(
  { url: databaseUrl }: BenchData,
  node: string,
  atEnd: AtEnd,
): Promise<Contender<PageWanted>> {
  const script = '../../bench/peers/postgraphile/server.js';
  const readyPath = '/graphql?query={__typename}';
  const url = await startContender({ name: 'postgraphile', script, databaseUrl, node, readyPath }, atEnd);
  return { name: 'postgraphile', url, request: postgraphileRequest, toRest: postgraphileToRest };
}

const COMMENT = 'rowId content memberId createdAt updatedAt deletedAt memberByMemberId { nickname }';

/** The number of comments is read from the counter of the article, as the service does: `totalCount` would count the rows. */
const QUERY = `query($id: BigInt!, $size: Int!, $offset: Int!) {
  articleByRowId(rowId: $id) {
    topLevelCount
    commentsByArticleId(condition: { parentId: null }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $size, offset: $offset) {
      nodes { ${COMMENT} commentsByParentId(orderBy: [CREATED_AT_ASC, ROW_ID_ASC], first: 100) { nodes { ${COMMENT} } } }
    }
  }
}`;

function postgraphileRequest({ articleId, page }: PageWanted) {
  return graphqlRequest(QUERY, { id: String(articleId), size: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE });
}

interface PostgraphileComment {
  rowId: string;
  content: string;
  memberId: string | null;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  memberByMemberId: { nickname: string } | null;
  commentsByParentId?: { nodes: PostgraphileComment[] };
}

function postgraphileToRest(text: string, { page }: PageWanted): string {
  const { topLevelCount, commentsByArticleId } = JSON.parse(text).data.articleByRowId as {
    topLevelCount: number;
    commentsByArticleId: { nodes: PostgraphileComment[] };
  };
  const pagination = paginate(page, PAGE_SIZE, topLevelCount);
  return envelope({ contents: commentsByArticleId.nodes.map(toComment), pagination });
}

function toComment(row: PostgraphileComment): object {
  const isDeleted = row.deletedAt !== null;
  return {
    id: row.rowId,
    content: isDeleted ? '(deleted)' : row.content,
    author: isDeleted ? '(deleted)' : (row.memberByMemberId?.nickname ?? '(withdrawn)'),
    memberId: row.memberId ?? 0,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.commentsByParentId && { replies: row.commentsByParentId.nodes.map(toComment) }),
  };
}
