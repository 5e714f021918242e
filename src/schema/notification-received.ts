/** What a subscription to notifications can be given. */
import { ArgsType, Field, ID } from 'type-graphql';
import { say } from '../messages/message.js';
import { inspectValue } from '../text.js';
import { rule } from './rules.js';

@ArgsType()
export class ReceivedArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the last notification that you know: what came after it comes first. 0: all that there are. Absent: only what comes from now on.',
  })
  @Place()
  after?: string | null;
}

/** The id of an element of a list, or 0 for the place before the first. It need not be there any more. */
function Place(): PropertyDecorator {
  return rule({
    explain: (value) => (/^(0|[1-9]\d*)$/.test(String(value)) ? null : say('mustBeFrom', 0, inspectValue(value))),
    schema: { minimum: 0 },
  });
}
