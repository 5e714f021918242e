/** GraphQL types of login, sessions and the audit trail; the last two are visible only to their member. */
import { ArgsType, Authorized, Extensions, Field, ID, InputType, Mutation, ObjectType, Query } from 'type-graphql';
import { EVENT_KINDS, type EventKind } from '../models/session/security-event.js';
import { MAX_DEVICE_LENGTH } from '../platform/http/request.js';
import { pageOf } from './page.js';
import { LimitedAs, MaxLength } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';
import { CurrentPassword, Email, Prose, UUID_SCHEMA, Uuid } from './validators.js';

/** Description of the argument `password` of operations that require proof. */
export const PROOF =
  'Your current password. An account without one requires a login within the last 10 minutes (not a token refresh).';

/** Description of the field `invitation` of operations that create an account. */
export const INVITATION =
  'A one-time invitation from the operator. Required for a new account if the service accepts registrations by invitation only.';

/** A query of members. It is null together with an error, so that the other fields of an operation keep their values. */
export function AuthorizedQuery(...[type, options]: Parameters<typeof Query>): MethodDecorator {
  return authorized(Query(type, { nullable: true, ...options }));
}

export function AuthorizedMutation(...[type, options]: Parameters<typeof Mutation>): MethodDecorator {
  return authorized(Mutation(type, options));
}

/** `describeRoots` adds to the description that a token is required. */
function authorized(field: MethodDecorator): MethodDecorator {
  return (target, name, descriptor) => {
    Authorized()(target, name, descriptor);
    field(target, name, descriptor);
  };
}

/** For a field with a secret: responses that contain it are not compressed (http/compression.ts). */
export function Secret(): MethodDecorator & PropertyDecorator {
  return Extensions({ isSecret: true });
}

/**
 * For a root field that issues a token, or needs none to work: it ignores the Authorization header, which clients also send when
 * their token has expired.
 */
export function TokenIgnored(): MethodDecorator & PropertyDecorator {
  return Extensions({ ignoresToken: true });
}

/**
 * For a mutation that suspended members may call: they manage their access, and delete what is their own. Without this declaration, they may not. Its
 * transaction does not check the suspension again (`lockAccount`, `hasAccessSql`, `require_not_suspended`), as that of all others does.
 */
export function WhileSuspended(): MethodDecorator & PropertyDecorator {
  return Extensions({ isForSuspended: true });
}

/** For a query field with a secret as its argument: it is accepted by POST only, since logs and histories contain URLs. */
export function BodyOnly(): MethodDecorator & PropertyDecorator {
  return Extensions({ isBodyOnly: true });
}

@InputType({ description: 'Credentials of an account.' })
export class LoginInput {
  @Field({ description: 'Email address of the account, case-insensitive.' })
  @Email()
  email!: string;

  @Field({ description: 'Password of the account.' })
  @CurrentPassword()
  password!: string;
}

@ObjectType({ description: 'Access token and refresh token of a session.' })
export class Tokens {
  @Secret()
  @Field({ description: 'A JWT for the Authorization header: `Bearer <accessToken>`.' })
  accessToken!: string;

  @Secret()
  @LimitedAs(() => RefreshArgs, 'refreshToken')
  @Field({ description: 'A JWT that can be exchanged for a new pair of tokens.' })
  refreshToken!: string;
}

@ObjectType('Session', { description: 'A session, created by a login on one device.' })
export class SessionType {
  @Extensions({ jsonSchema: UUID_SCHEMA })
  @Field(() => ID, { description: 'ID for ending the session; not a secret.' })
  id!: string;

  @MaxLength(MAX_DEVICE_LENGTH)
  @Field({ description: 'User-Agent of the device; may be empty.' })
  device!: string;

  @Field({ description: 'IP address of the most recent use.' })
  address!: string;

  @Field(() => DateTime, { description: 'Time of the login, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'Time of the most recent use, in UTC, accurate to five minutes.' })
  lastUsedAt!: Moment;

  @Field({ description: 'Whether this request belongs to the session.' })
  current!: boolean;
}

const SecurityEventKind = enumOf('SecurityEventKind', 'Types of security events of an account.', EVENT_KINDS);

@ObjectType('SecurityEvent', { description: 'A security event of your account.' })
export class SecurityEventType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @Field(() => SecurityEventKind, { description: 'Type of the event.' })
  kind!: EventKind;

  @Field(() => String, {
    nullable: true,
    description: 'The login provider involved, or PASSKEY; null if there was none.',
  })
  provider!: string | null;

  @Field({ description: 'IP address of the client.' })
  address!: string;

  @MaxLength(MAX_DEVICE_LENGTH)
  @Field({ description: 'User-Agent of the client.' })
  device!: string;

  @Field(() => DateTime, { description: 'Time of the event, in UTC.' })
  createdAt!: Moment;
}

export const SecurityEventPage = pageOf(
  'SecurityEvent',
  () => SecurityEventType,
  'security events, newest first',
  'events',
);

@ArgsType()
export class RefreshArgs {
  @Field({ description: 'The most recently issued refresh token.' })
  @Prose(1, 4096)
  refreshToken!: string;
}

@ArgsType()
export class SessionIdArgs {
  @Field(() => ID, { description: 'ID of one of your sessions.' })
  @Uuid()
  id!: string;
}
