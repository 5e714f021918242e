/** GraphQL types of API tokens, and the declarations of the scopes with which they may call an operation. */
import { ArgsType, Extensions, Field, ID, InputType, ObjectType } from 'type-graphql';
import { MAX_API_TOKENS, SCOPE_NAMES, SCOPES, type Scope } from '../models/session/api-token.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { API_TOKEN_LENGTH } from '../services/auth/api-token.js';
import { PROOF, Secret } from './auth.js';
import { LimitedAs, MaxItems, MaxLength } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';
import { Choices, CurrentPassword, Line, UUID_SCHEMA, Uuid } from './validators.js';

export const MAX_API_TOKEN_DAYS = fixedLimit({
  area: 'Accounts',
  about: 'Days until an API token expires, if it expires.',
  value: 3_650,
  error: 'VALIDATION_FAILED',
});

/**
 * For a root field: API tokens with one of these scopes may call it, or with `public` all of them, as with `@Stamped`. Without a declaration, none may.
 * For another field: needed in addition to a scope of its root field. Private fields of a type that several scopes reach have it.
 */
export function ApiTokenScopes(...scopes: ['public'] | [Scope, ...Scope[]]): MethodDecorator & PropertyDecorator {
  return Extensions({ apiTokenScopes: scopes[0] === 'public' ? [] : scopes });
}

const ApiTokenScope = enumOf('ApiTokenScope', 'What an API token may do, besides public reads.', SCOPES);

@ObjectType('ApiToken', { description: 'An API token: a credential for a program of yours.' })
export class ApiTokenType {
  @Extensions({ jsonSchema: UUID_SCHEMA })
  @Field(() => ID, { description: 'ID for deleting the token; not a secret.' })
  id!: string;

  @LimitedAs(() => CreateApiTokenInput, 'name')
  @Field({ description: 'The name that you gave it.' })
  name!: string;

  @MaxItems(SCOPE_NAMES.length)
  @Field(() => [ApiTokenScope], { description: 'What the token may do, besides public reads.' })
  scopes!: Scope[];

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time at which the token expires, in UTC; null if it does not expire.',
  })
  expiresAt!: Moment | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the most recent use, in UTC, accurate to the minute; null if it was never used.',
  })
  lastUsedAt!: Moment | null;
}

@ObjectType('CreatedApiToken', { description: 'A new API token.' })
export class CreatedApiToken extends ApiTokenType {
  @Secret()
  @MaxLength(API_TOKEN_LENGTH)
  @Field({
    description:
      'The token for the Authorization header: `Bearer <token>`. Store it now: the service stores only its hash. ' +
      'It matches `dbk_[0-9A-Za-z]{49}`.',
  })
  token!: string;
}

@InputType({ description: `A new API token: at most ${MAX_API_TOKENS} per member.` })
export class CreateApiTokenInput {
  @Field({ description: 'What you will recognize it by: {range} characters.' })
  @Line(1, 50)
  name!: string;

  @Field(() => [ApiTokenScope], { description: 'What the token may do, besides public reads: at least one scope.' })
  @Choices(SCOPE_NAMES)
  scopes!: Scope[];

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time at which the token expires, in UTC, at most ten years ahead. Absent: it does not expire.',
  })
  expiresAt?: string | null;

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

/** What an access token or API token is a credential of. */
const TokenKind = enumOf('TokenKind', 'What a token is a credential of.', {
  SESSION: 'A session of a member: an access token.',
  API_TOKEN: 'A program of a member.',
});

@ObjectType('Token', { description: 'The token of a request.' })
export class TokenType {
  @Field(() => TokenKind, { description: 'What the token is a credential of.' })
  kind!: 'SESSION' | 'API_TOKEN';

  @Field(() => ID, { description: 'ID of the member whose token it is.' })
  memberId!: number;

  @MaxItems(SCOPE_NAMES.length)
  @Field(() => [ApiTokenScope], {
    nullable: true,
    description: 'What the token may do, besides public reads; null for a session, which may do everything.',
  })
  scopes!: Scope[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time at which the token expires, in UTC; null if it does not expire.',
  })
  expiresAt!: Moment | null;
}

@ArgsType()
export class ApiTokenIdArgs {
  @Field(() => ID, { description: 'ID of one of your API tokens.' })
  @Uuid()
  id!: string;
}
