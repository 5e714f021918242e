/** GraphQL types and arguments of decisions of moderators, as members and moderators read them, and of appeals. */
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import {
  DECISION_ACTIONS,
  type DecisionAction,
  MAX_REASON_LENGTH,
  MAX_RULE_LENGTH,
} from '../models/moderation/action.js';
import { pageOf } from './page.js';
import { LimitedAs, MaxLength } from './response-limits.js';
import { DateTime, enumOf, idArgs, type Moment } from './scalars.js';
import { Prose } from './validators.js';

export const DecisionActionEnum = enumOf('DecisionAction', 'What moderators decide.', DECISION_ACTIONS);

export const DecisionArgs = idArgs('id', 'ID of a decision that concerns you.');
export type DecisionArgs = InstanceType<typeof DecisionArgs>;

@ArgsType()
export class AppealArgs extends idArgs('decisionId', 'ID of a decision that concerns you.') {
  @Field({ description: 'Why the decision is wrong, for the moderators: {range} characters.' })
  @Prose(1, MAX_REASON_LENGTH)
  text!: string;
}

@ObjectType('OwnDecision', {
  description:
    'A decision of a moderator, or of an operator of the service, that concerns you. A person made it, and not a program.',
})
export class OwnDecisionType {
  @Field(() => ID, { description: 'Unique positive ID.' })
  id!: number;

  @Field(() => DecisionActionEnum, { description: 'What was decided.' })
  action!: DecisionAction;

  @Field(() => ID, { nullable: true, description: 'ID of your article; null for others, and after its deletion.' })
  articleId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of your comment; null for others, and after its deletion.' })
  commentId!: number | null;

  @Field(() => DateTime, { nullable: true, description: 'The end of a suspension, in UTC; null if it has none.' })
  until!: Moment | null;

  @MaxLength(MAX_RULE_LENGTH)
  @Field({ description: 'The rule of the service that was broken; may be empty.' })
  rule!: string;

  @MaxLength(MAX_REASON_LENGTH)
  @Field({ description: 'The reason; may be empty.' })
  statement!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the decision can be appealed, in UTC; null if it cannot be, or has been.',
  })
  appealableUntil!: Moment | null;

  @LimitedAs(() => AppealArgs, 'text')
  @Field(() => String, { nullable: true, description: 'The appeal; null without one.' })
  appealText!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the appeal, in UTC; null without one.' })
  appealedAt!: Moment | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the decision on the appeal; null without an appeal, and while it is open.',
  })
  answerId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the decision that was appealed; null if this one is not about an appeal.',
  })
  appealOf!: number | null;

  @Field(() => DateTime, { description: 'Time of the decision, in UTC.' })
  createdAt!: Moment;
}

@ObjectType('ModeratorDecision', { description: 'A decision of a moderator or an operator, as moderators see it.' })
export class ModeratorDecisionType extends OwnDecisionType {
  @Field(() => ID, { nullable: true, description: 'ID of the member concerned; null if that member had withdrawn.' })
  memberId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the moderator; null for an operator, and after a withdrawal.',
  })
  moderatorId!: number | null;

  @MaxLength(MAX_REASON_LENGTH)
  @Field({ description: 'For moderators only; may be empty.' })
  note!: string;
}

export const OwnDecisionPage = pageOf(
  'OwnDecision',
  () => OwnDecisionType,
  'decisions that concern you, newest first',
  'decisions',
);

export const ModeratorDecisionPage = pageOf(
  'ModeratorDecision',
  () => ModeratorDecisionType,
  'decisions, newest first',
  'decisions',
);
