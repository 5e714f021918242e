/** GraphQL types and inputs of roles and suspensions. */
import { Field, InputType, ObjectType } from 'type-graphql';
import { MAX_REASON_LENGTH, MAX_RULE_LENGTH } from '../models/moderation/action.js';
import { ROLES, type Role } from '../models/moderation/role.js';
import { PROOF } from './auth.js';
import { MaxLength } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';
import { CurrentPassword, IdField } from './validators.js';

export const RoleEnum = enumOf('Role', 'What a member may do besides reading and writing.', ROLES);

@ObjectType('Suspension', { description: 'Why and until when a member cannot write.' })
export class SuspensionType {
  @Field(() => DateTime, { description: 'Its beginning, in UTC.' })
  since!: Moment;

  @Field(() => DateTime, { nullable: true, description: 'Its end, in UTC; null if it has none.' })
  until!: Moment | null;

  @MaxLength(MAX_RULE_LENGTH)
  @Field({ description: 'The rule of the service that the member has broken.' })
  rule!: string;

  @MaxLength(MAX_REASON_LENGTH)
  @Field({ description: 'The reason.' })
  statement!: string;
}

@InputType({ description: 'The role of a member, and re-authentication.' })
export class SetRoleInput {
  @IdField('ID of the member.')
  memberId!: string;

  @Field(() => RoleEnum, { description: 'The new role.' })
  role!: Role;

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}
