/** GraphQL types of sessions and the audit trail, visible only to their member. */
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { EVENT_KINDS, type EventKind } from '../models/security-event.js';
import { Pagination } from './page.js';
import { DateTime, type Moment } from './scalars.js';
import { Line, Prose } from './validators.js';

@ObjectType('Session', { simpleResolvers: true, description: 'One login on one device.' })
export class SessionType {
  @Field(() => ID, { description: 'Names it to end it; no secret.' })
  id!: string;

  @Field({ description: 'What the device calls itself (User-Agent); empty where it says nothing.' })
  device!: string;

  @Field({ description: 'The network address it was last used from.' })
  address!: string;

  @Field(() => DateTime, { description: 'The login.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'To within five minutes.' })
  lastUsedAt!: Moment;

  @Field({ description: 'Whether this request belongs to it.' })
  current!: boolean;
}

const SecurityEventKind = Object.fromEntries(Object.keys(EVENT_KINDS).map((kind) => [kind, kind]));
registerEnumType(SecurityEventKind, {
  name: 'SecurityEventKind',
  description: 'What can happen to an account.',
  valuesConfig: Object.fromEntries(Object.entries(EVENT_KINDS).map(([kind, description]) => [kind, { description }])),
});

@ObjectType('SecurityEvent', { simpleResolvers: true, description: 'Something that happened to your account.' })
export class SecurityEventType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field(() => SecurityEventKind, { description: 'What happened.' })
  kind!: EventKind;

  @Field(() => String, { nullable: true, description: 'The login provider that took part.' })
  provider!: string | null;

  @Field({ description: 'The network address it came from.' })
  address!: string;

  @Field({ description: 'What the device calls itself (User-Agent).' })
  device!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: Moment;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of security events, newest first.' })
export class SecurityEventPage {
  @Field(() => [SecurityEventType], { description: 'The events of this page; none past the end.' })
  contents!: SecurityEventType[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  pagination!: Pagination;
}

@ArgsType()
export class RefreshArgs {
  @Field({ description: 'The refresh token of the last pair.' })
  @Prose(1, 4096)
  refreshToken!: string;
}

@ArgsType()
export class SessionIdArgs {
  @Field(() => ID, { description: 'One of your sessions.' })
  @Line(1, 64)
  id!: string;
}
