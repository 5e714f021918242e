/** Typed GraphQL documents: `npm run types` writes `schema.d.ts` from the schema of the service. */
import { initGraphQLTada, type ResultOf } from 'gql.tada';
import type { introspection } from './schema';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; PublicKeyCredentialJSON: object };
}>();

/** The member who is logged in, for the header of every page. Part of its one request. */
export const Viewer = graphql(`fragment Viewer on Query {
  me @include(if: $signedIn) { id nickname role unreadNotifications }
}`);

export const Card = graphql(`fragment Card on Article {
  id slug title excerpt createdAt readingMinutes likeCount commentCount tags visibility memberId authorName
  language description
  articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes { url width }
}`);

export const CommentPart = graphql(`fragment CommentPart on Comment {
  id content createdAt updatedAt memberId authorName held hidden removed revision
  author { profileImgSizes { url width } }
}`);

export const DraftPart = graphql(`fragment DraftPart on Draft {
  id articleId title content tags category slug visibility language translationOf description canonicalUrl revision baseRevision publishAt publicationError updatedAt
  imageId articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes { url width }
}`);

export type Me = ResultOf<typeof Viewer>['me'];
export type CardData = ResultOf<typeof Card>;
export type CommentData = ResultOf<typeof CommentPart> & { replies?: CommentData[] };
export type DraftData = ResultOf<typeof DraftPart>;
