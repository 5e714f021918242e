/** `daybook moderation`: the subcommands for the queue of moderators. */
import { Argument } from 'commander';
import { type DecisionAction, MAX_REASON_LENGTH, MAX_RULE_LENGTH } from '../models/moderation/action.js';
import type { DecideOptions, QueueOptions } from './moderation/queue.js';
import type { About, Subcommands } from './subcommand.js';
import { lineOf, textOf, wholeNumber } from './subcommand.js';

const LIST: About = {
  summary: 'list what waits for a decision',
  description: 'The oldest first, one line for each: what was reported, comments that wait for approval, and appeals.',
  examples: [
    ['npx daybook moderation list', 'the first fifty entries'],
    ['npx daybook moderation list --json', 'with all fields, as JSON'],
  ],
};

const DECIDE: About = {
  summary: 'decide as the operator',
  description: `
DISMISS closes the reports of an article, a comment or a member. APPROVE shows a comment that waits for approval. REMOVE removes an
article or a comment, which RESTORE shows again within 30 days; a comment that waits is deleted. SUSPEND and UNSUSPEND are for members.
UPHOLD, RESTORE and UNSUSPEND decide on an appeal. The member concerned is notified, with the rule and the statement, and so are members who reported, who are not named.`.trim(),
  examples: [
    ['npx daybook moderation decide DISMISS --comment 34 --yes', 'without a confirmation'],
    [
      'npx daybook moderation decide REMOVE --comment 34 --rule "No advertising" --statement "A link to a shop."',
      'after a confirmation',
    ],
  ],
};

const GROUP: About = {
  summary: 'list what waits for a decision, and decide',
  description: 'What moderators can do through the API too. Decisions are confirmed on the terminal or with --yes.',
  examples: [...LIST.examples, ...DECIDE.examples],
};

/** Those that an operator can make. */
const ACTIONS: readonly DecisionAction[] = [
  'DISMISS',
  'APPROVE',
  'REMOVE',
  'RESTORE',
  'SUSPEND',
  'UNSUSPEND',
  'UPHOLD',
];

export function addModeration({ addGroup, withExitCode, terminal }: Subcommands): void {
  const run = () => import('./moderation/queue.js');
  const { add } = addGroup('moderation', GROUP);
  add('list', LIST)
    .option('--limit <number>', 'number of entries, at most 1000', (text) => Math.min(wholeNumber(text, 1), 1_000), 50)
    .option('--json', 'print one JSON object per line')
    .action(withExitCode(async (options: QueueOptions) => (await run()).listQueue(options, terminal)));
  const id = (text: string) => wholeNumber(text, 1);
  add('decide', DECIDE)
    .addArgument(new Argument('<action>', 'what is done').choices(ACTIONS))
    .option('--article <id>', 'ID of an article', id)
    .option('--comment <id>', 'ID of a comment', id)
    .option('--member <id>', 'ID of a member', id)
    .option('--appeal <id>', 'ID of a decision that was appealed', id)
    .option('--until <time>', 'end of a suspension in UTC, such as 2099-01-31; without it, there is none')
    .option('--rule <text>', `the rule that was broken: ${lineOf(MAX_RULE_LENGTH)}`, textOf(MAX_RULE_LENGTH))
    .option('--statement <text>', `the reason: ${lineOf(MAX_REASON_LENGTH)}`, textOf(MAX_REASON_LENGTH))
    .option('--note <text>', `for moderators only: ${lineOf(MAX_REASON_LENGTH)}`, textOf(MAX_REASON_LENGTH))
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (action: DecisionAction, options: DecideOptions) =>
        (await run()).decideAsOperator(action, options, terminal),
      ),
    );
}
