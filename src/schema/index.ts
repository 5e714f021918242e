/** The GraphQL schema, built from the resolvers. */
import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { requireMember } from '../auth/policy.js';
import { capWrites } from '../limits/writes.js';
import { ArticleResolver } from '../resolvers/article.js';
import { AuthResolver } from '../resolvers/auth.js';
import { CommentResolver } from '../resolvers/comment.js';
import { AccountResolver, MemberResolver } from '../resolvers/member.js';
import { SessionResolver } from '../resolvers/session.js';
import { SocialLoginResolver } from '../resolvers/social-login.js';
import { requireValid } from './rules.js';

export function buildSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AuthResolver,
      SessionResolver,
      SocialLoginResolver,
      MemberResolver,
      AccountResolver,
      ArticleResolver,
      CommentResolver,
    ],
    authChecker: requireMember,
    validateFn: requireValid,
  });
  return capWrites(schema);
}
