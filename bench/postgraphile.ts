/** PostGraphile on the same data: its start, and the request for a page of comments with the data of REST. */
import type { PageWanted } from './cases.js';
import { startContender } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { paginate } from './floor-server.js';
import { type ArticleWanted, commonFields, LIST_SIZE, type Peer } from './peer-cases.js';
import { graphqlRequest, PAGE_SIZE } from './requests.js';
import type { AtEnd } from './session.js';

export async function startPostgraphile({ url: databaseUrl }: BenchData, atEnd: AtEnd, node: string): Promise<Peer> {
  const script = '../../bench/peers/postgraphile/server.js';
  const readyPath = '/graphql?query={__typename}';
  const url = await startContender({ name: 'postgraphile', script, databaseUrl, node, readyPath }, atEnd);
  const shared = { name: 'postgraphile', url } as const;
  return {
    comments: { ...shared, request: postgraphileRequest, toRest: postgraphileToRest },
    articles: { ...shared, request: articlesRequest, toRest: articlesToRest, comparable: commonFields },
  };
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

const ARTICLE =
  'rowId title slug memberId createdAt updatedAt memberByMemberId { nickname } categoryByCategoryId { name }';

/** As for comments, the number of articles is that of the counter. */
const LIST = `query($size: Int!, $offset: Int!) {
  allArticleTotals { nodes { articles } }
  allArticles(orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $size, offset: $offset) { nodes { ${ARTICLE} } }
}`;

/** By the index of slugs, which the service uses as well. */
const DETAIL = `query($slug: String!) { articleSlugBySlug(slug: $slug) { articleByArticleId { ${ARTICLE} content } } }`;

function articlesRequest(wanted: ArticleWanted) {
  if ('slug' in wanted) return graphqlRequest(DETAIL, wanted);
  return graphqlRequest(LIST, { size: LIST_SIZE, offset: (wanted.page - 1) * LIST_SIZE });
}

interface PostgraphileArticle {
  rowId: string;
  title: string;
  slug: string;
  memberId: string;
  createdAt: string;
  updatedAt: string;
  memberByMemberId: { nickname: string };
  categoryByCategoryId: { name: string };
  content?: string;
}

function articlesToRest(text: string, wanted: ArticleWanted): string {
  const { data } = JSON.parse(text) as {
    data: {
      articleSlugBySlug?: { articleByArticleId: PostgraphileArticle };
      allArticles?: { nodes: PostgraphileArticle[] };
      allArticleTotals?: { nodes: { articles: number }[] };
    };
  };
  if ('slug' in wanted) return envelope(data.articleSlugBySlug && toArticle(data.articleSlugBySlug.articleByArticleId));
  const contents = data.allArticles?.nodes.map(toArticle);
  const total = data.allArticleTotals?.nodes.reduce((sum, { articles }) => sum + Number(articles), 0) ?? 0;
  return envelope({ contents, pagination: paginate(wanted.page, LIST_SIZE, total) });
}

function toArticle({ rowId: id, memberByMemberId, categoryByCategoryId, ...same }: PostgraphileArticle): object {
  return { id, author: memberByMemberId.nickname, category: categoryByCategoryId.name, ...same };
}
