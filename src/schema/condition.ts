/** The argument of mutations that are conditional on the revision of what they change. REST has the header If-Match in its place. */
import { ArgsType, type ClassType, Field, Int } from 'type-graphql';
import { idArgs } from './scalars.js';
import { WholeNumber } from './validators.js';

export const CONDITION = {
  name: 'ifRevision',
  description:
    'The revision that the change is for: with another current one, it is rejected as `PRECONDITION_FAILED`. Absent: any. Not together with the header If-Match.',
} as const;

/** The class of the arguments of a mutation that accepts If-Match, in addition to those of another class. */
export function withCondition<Args extends object>(args: ClassType<Args>) {
  @ArgsType()
  class ConditionalArgs extends (args as ClassType) {
    @Field(() => Int, { nullable: true, description: CONDITION.description })
    @WholeNumber(1)
    [CONDITION.name]?: number | null;
  }
  return ConditionalArgs as ClassType<Args & ConditionalArgs>;
}

export const ConditionalIdArgs = withCondition(idArgs('id', 'A positive integer.'));
export type ConditionalIdArgs = InstanceType<typeof ConditionalIdArgs>;
