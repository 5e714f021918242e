/** Arguments of the notification subscription. */
import { ArgsType, Field, ID } from 'type-graphql';
import { createMessage } from '../messages/message.js';
import { inspectValue } from '../text.js';
import { constraint } from './constraints.js';

@ArgsType()
export class ReceivedArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      'ID of the last notification received: the stream starts with the next one. ' +
      '0: with the oldest. Absent: only new notifications.',
  })
  @Place()
  after?: string | null;
}

/** The id of a list element, or 0 for the position before the first. The element may have been deleted. */
function Place(): PropertyDecorator {
  return constraint({
    explain: (value) =>
      /^(0|[1-9]\d*)$/.test(String(value)) ? null : createMessage('mustBeFrom', 0, inspectValue(value)),
    schema: { minimum: 0 },
  });
}
