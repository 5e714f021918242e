/** GraphQL types of decisions of moderators. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { type DecisionAction, MAX_REASON_LENGTH, MAX_RULE_LENGTH } from '../models/moderation/action.js';
import { DecisionActionEnum } from './appeal.js';
import { CONDITION } from './condition.js';
import { ONE_TARGET, TargetInput } from './report.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, type Moment } from './scalars.js';
import { IdField, Line, Prose } from './validators.js';

@InputType({ description: 'A decision, and its reasons. The member concerned receives `rule` and `statement`.' })
export class DecideInput extends TargetInput {
  @IdField(`ID of an appealed decision: UPHOLD, RESTORE or UNSUSPEND decides on the appeal. ${ONE_TARGET}`, {
    nullable: true,
  })
  appealId?: string | null;

  @Field(() => DecisionActionEnum, { description: 'What is done.' })
  action!: DecisionAction;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End of a suspension in UTC, in the future. Absent: it has no end.',
  })
  until?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The rule of the service that was broken: {range} characters. Required for REMOVE and SUSPEND.',
  })
  @Line(1, MAX_RULE_LENGTH)
  rule?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reason: {range} characters. Required for REMOVE and SUSPEND.',
  })
  @Prose(1, MAX_REASON_LENGTH)
  statement?: string | null;

  @Field(() => String, { nullable: true, description: 'For moderators only: at most {max} characters.' })
  @Prose(0, MAX_REASON_LENGTH)
  note?: string | null;
}

@ArgsType()
export class DecideArgs {
  @Field(() => DecideInput, { description: 'The decision, and its reasons.' })
  input!: DecideInput;

  @Field(() => String, { nullable: true, description: CONDITION.description })
  @Line(1, 100)
  [CONDITION.name]?: string | null;
}

@ObjectType('Decision', { description: 'A decision of a moderator or an operator.' })
export class DecisionType {
  @Field(() => ID, { description: 'Unique positive ID.' })
  id!: number;

  @Field(() => DecisionActionEnum, { description: 'What was done.' })
  action!: DecisionAction;

  @Field(() => ID, { nullable: true, description: 'ID of the member concerned; null if the author had withdrawn.' })
  memberId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the article; null for another target, and after its deletion.',
  })
  articleId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the comment; null for another target, and after its deletion.',
  })
  commentId!: number | null;

  @Field(() => ID, { nullable: true, description: 'ID of the decision that was appealed; null without an appeal.' })
  appealOf!: number | null;

  @Field(() => DateTime, { nullable: true, description: 'End of a suspension, in UTC; null if it has none.' })
  until!: Moment | null;

  @LimitedAs(() => DecideInput, 'rule')
  @Field({ description: 'The rule of the service that was broken; may be empty.' })
  rule!: string;

  @LimitedAs(() => DecideInput, 'statement')
  @Field({ description: 'The reason; may be empty.' })
  statement!: string;

  @LimitedAs(() => DecideInput, 'note')
  @Field(() => String, { nullable: true, description: 'For moderators; null for others.' })
  note!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'For moderators: ID of the one who decided; null for an operator, after a withdrawal, and for others.',
  })
  moderatorId!: number | null;

  @Field(() => DateTime, { description: 'Time of the decision, in UTC.' })
  createdAt!: Moment;
}
