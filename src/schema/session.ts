/** GraphQL types of sessions and the audit trail, visible only to their member. */
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { EVENT_KINDS, type EventKind } from '../models/session/security-event.js';
import { Pagination } from './page.js';
import { DateTime, type Moment } from './scalars.js';
import { Line, Prose } from './validators.js';

@ObjectType('Session', { simpleResolvers: true, description: 'A session, created by a login on one device.' })
export class SessionType {
  @Field(() => ID, { description: 'ID for ending the session; not a secret.' })
  id!: string;

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

const SecurityEventKind = Object.fromEntries(Object.keys(EVENT_KINDS).map((kind) => [kind, kind]));
registerEnumType(SecurityEventKind, {
  name: 'SecurityEventKind',
  description: 'Types of security events of an account.',
  valuesConfig: Object.fromEntries(Object.entries(EVENT_KINDS).map(([kind, description]) => [kind, { description }])),
});

@ObjectType('SecurityEvent', { simpleResolvers: true, description: 'A security event of your account.' })
export class SecurityEventType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @Field(() => SecurityEventKind, { description: 'Type of the event.' })
  kind!: EventKind;

  @Field(() => String, { nullable: true, description: 'The login provider involved; null if there was none.' })
  provider!: string | null;

  @Field({ description: 'IP address of the client.' })
  address!: string;

  @Field({ description: 'User-Agent of the client.' })
  device!: string;

  @Field(() => DateTime, { description: 'Time of the event, in UTC.' })
  createdAt!: Moment;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of security events, newest first.' })
export class SecurityEventPage {
  @Field(() => [SecurityEventType], { description: 'The events of this page; empty past the last page.' })
  contents!: SecurityEventType[];

  @Field(() => Pagination, { description: 'Position of the page, and totals of the list.' })
  pagination!: Pagination;
}

@ArgsType()
export class RefreshArgs {
  @Field({ description: 'The most recently issued refresh token.' })
  @Prose(1, 4096)
  refreshToken!: string;
}

@ArgsType()
export class SessionIdArgs {
  @Field(() => ID, { description: 'ID of one of your sessions.' })
  @Line(1, 64)
  id!: string;
}
