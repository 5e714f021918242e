/** The GraphQL schema, built from the resolvers. */
import 'reflect-metadata';
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  lexicographicSortSchema,
  type OperationTypeNode,
  printSchema,
} from 'graphql';
import { buildSchemaSync, getMetadataStorage, type PubSub } from 'type-graphql';
import { unwrapRootResults } from '../execute.js';
import { ApiTokenResolver } from '../resolvers/api-token.js';
import { AppealResolver } from '../resolvers/appeal.js';
import { ArticleResolver } from '../resolvers/article.js';
import { ArticleFieldResolver } from '../resolvers/article-fields.js';
import { ARTICLE_LISTS, TagResolver } from '../resolvers/article-list.js';
import { AuthResolver } from '../resolvers/auth.js';
import { BlockResolver } from '../resolvers/block.js';
import { CategoryResolver } from '../resolvers/category.js';
import { ChangeResolver, ChangesResolver } from '../resolvers/change.js';
import { CommentResolver } from '../resolvers/comment.js';
import { COMMENT_LISTS, HiddenCommentsResolver } from '../resolvers/comment-list.js';
import { CustomStyleResolver } from '../resolvers/custom-style.js';
import { DecisionResolver } from '../resolvers/decision.js';
import { DiscoveryResolver, RelatedResolver } from '../resolvers/discovery.js';
import { DraftResolver } from '../resolvers/draft.js';
import { ImageResolver } from '../resolvers/image.js';
import { AccountResolver, MemberResolver } from '../resolvers/member.js';
import { MemberFieldResolver } from '../resolvers/member-fields.js';
import { ModerationResolver } from '../resolvers/moderation.js';
import {
  AccountNotificationResolver,
  NotificationListResolver,
  NotificationReceivedResolver,
  NotificationResolver,
} from '../resolvers/notification.js';
import { NotificationSettingResolver } from '../resolvers/notification-setting.js';
import { PasskeyResolver } from '../resolvers/passkey.js';
import { PublicationResolver } from '../resolvers/publication.js';
import {
  ArticleViewerResolver,
  CHANGED_RESOLVERS,
  MemberViewerResolver,
  ReactionResolver,
} from '../resolvers/reaction.js';
import { READING_LISTS } from '../resolvers/reading-list.js';
import { RecoveryResolver } from '../resolvers/recovery.js';
import { ReportResolver } from '../resolvers/report.js';
import { DraftRevisionResolver, RevisionResolver } from '../resolvers/revision.js';
import { ArticleSeriesResolver, MemberSeriesResolver, SERIES_LISTS, SeriesResolver } from '../resolvers/series.js';
import { SessionResolver } from '../resolvers/session.js';
import { SharedTextResolver, ShareLinkResolver } from '../resolvers/shared-text.js';
import { SocialLoginResolver } from '../resolvers/social-login.js';
import { StyleResolver } from '../resolvers/style.js';
import { SummaryFieldResolver, SummaryResolver } from '../resolvers/summary.js';
import { ViewResolver } from '../resolvers/view.js';
import { WebhookResolver } from '../resolvers/webhook.js';
import { describeConstraints, type InputClass, requireValid } from '../schema/constraints.js';
import { requireMember } from '../services/auth/policy.js';
import { rateLimitMutations } from '../services/limits/writes.js';
import { readConditions } from './conditional-mutations.js';
import { rootField } from './root-fields.js';
import { scopesOfRoot } from './scope-needs.js';

/** Required by TypeGraphQL but not used: every subscription has its own `subscribe` function. */
const UNUSED_PUB_SUB: PubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('a subscription has no subscribe function');
  },
};

export function buildSchema(): GraphQLSchema {
  describeInputs();
  readColumns();
  const schema = buildSchemaSync({
    resolvers: [
      AuthResolver,
      PublicationResolver,
      RecoveryResolver,
      SessionResolver,
      ApiTokenResolver,
      SocialLoginResolver,
      PasskeyResolver,
      MemberResolver,
      AccountResolver,
      MemberFieldResolver,
      ModerationResolver,
      ReportResolver,
      DecisionResolver,
      AppealResolver,
      ArticleResolver,
      ArticleFieldResolver,
      ...ARTICLE_LISTS,
      TagResolver,
      SummaryResolver,
      SummaryFieldResolver,
      CategoryResolver,
      CommentResolver,
      ...COMMENT_LISTS,
      HiddenCommentsResolver,
      CustomStyleResolver,
      DiscoveryResolver,
      RelatedResolver,
      RevisionResolver,
      DraftResolver,
      DraftRevisionResolver,
      ImageResolver,
      ...SERIES_LISTS,
      SeriesResolver,
      ChangeResolver,
      ChangesResolver,
      WebhookResolver,
      ArticleSeriesResolver,
      MemberSeriesResolver,
      ReactionResolver,
      ArticleViewerResolver,
      MemberViewerResolver,
      ...CHANGED_RESOLVERS,
      BlockResolver,
      ...READING_LISTS,
      ViewResolver,
      NotificationListResolver,
      NotificationResolver,
      AccountNotificationResolver,
      NotificationSettingResolver,
      NotificationReceivedResolver,
      StyleResolver,
      ShareLinkResolver,
      SharedTextResolver,
    ],
    pubSub: UNUSED_PUB_SUB,
    authChecker: requireMember,
    validateFn: requireValid,
  });
  requireStamps(schema);
  requireAuthorization(schema);
  describeRoots(schema);
  unwrapRootResults(schema);
  return rateLimitMutations(readConditions(schema));
}

/** @throws Error with the names of the queries that need no token, and declare neither stamps nor a reason */
export function requireStamps(schema: GraphQLSchema): void {
  const names = Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ extensions }) => !extensions.stamps && !extensions.unstamped)
    .flatMap(({ name }) => (rootField('query', name).isAuthorized ? [] : name));
  if (names.length === 0) return;
  throw new Error(
    `These queries need @Authorized, @Stamped, or @Unstamped with a reason (schema/stamped.ts): ${names.join(', ')}`,
  );
}

/** Writes the numbers of the validators into the descriptions of inputs and arguments. */
function describeInputs(): void {
  for (const field of getMetadataStorage().fields) {
    field.description &&= describeConstraints(field.description, field.target as InputClass, field.name);
  }
}

/** A field without a resolver is a column of the row: it needs no function that awaits, validates or authorizes. */
function readColumns(): void {
  for (const type of getMetadataStorage().objectTypes) type.simpleResolvers = true;
}

/** So that no write is public by mistake. @throws Error with the names of the mutations that declare neither of both */
export function requireAuthorization(schema: GraphQLSchema): void {
  const names = Object.values(schema.getMutationType()?.getFields() ?? {})
    .filter(({ extensions }) => extensions.ignoresToken !== true)
    .flatMap(({ name }) => (rootField('mutation', name).isAuthorized ? [] : name));
  if (names.length === 0) return;
  throw new Error(`These mutations need @Authorized or @TokenIgnored (schema/auth.ts): ${names.join(', ')}`);
}

/** TypeGraphQL does not support descriptions of the root types. */
function describeRoots(schema: GraphQLSchema): void {
  const descriptions = {
    Query: 'Read operations.',
    Mutation: 'Write operations.',
    Subscription: 'Event streams over the `graphql-transport-ws` protocol.',
  };
  for (const [name, description] of Object.entries(descriptions)) {
    const root = schema.getType(name) as GraphQLObjectType | undefined;
    if (!root) continue;
    root.description = description;
    describeAccess(root);
  }
}

/** Adds to the description of each operation whether it needs a token, unless it says more about it, and which API tokens may call it. */
function describeAccess(root: GraphQLObjectType): void {
  const operation = root.name.toLowerCase() as OperationTypeNode;
  for (const field of Object.values(root.getFields())) {
    const isDescribed = field.description?.includes('Authentication required');
    if (!isDescribed && rootField(operation, field.name).isAuthorized) field.description += ' Authentication required.';
    const scopes = scopesOfRoot(field);
    if (scopes?.length === 0) continue;
    const names = scopes?.map((scope) => `\`${scope}\``).join(' or ');
    field.description += names ? ` API tokens need the scope ${names}.` : ' Not available to API tokens.';
  }
}

/** Sorted, so that it is the same for the same types. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
