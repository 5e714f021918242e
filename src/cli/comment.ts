/** `daybook comment`: the subcommands that concern comments. */
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';

const DELETE: About = {
  summary: 'delete a comment',
  description: `
A comment with replies keeps its place, without content and author. This cannot be reverted. The deletion is recorded in the
audit trail of its author.`.trim(),
  examples: [['npx daybook comment delete 34', 'after a confirmation']],
};

const HIDE: About = {
  summary: 'hide a comment',
  description:
    'Only its author and the author of the article can read it from now on, and the latter can show it again, like a comment that they hid.',
  examples: [['npx daybook comment hide 34 --yes', 'without a confirmation']],
};

const GROUP: About = {
  summary: 'delete and hide comments',
  description: 'Comments of any member.',
  examples: [...DELETE.examples, ...HIDE.examples],
};

export function addComment({ addGroup, withExitCode, terminal }: Subcommands): void {
  const run = () => import('./moderation/run.js');
  const { add } = addGroup('comment', GROUP);
  const change = (name: 'delete' | 'hide', about: About) =>
    add(name, about)
      .argument('<id>', 'ID of the comment')
      .option('-y, --yes', 'do not ask for a confirmation')
      .action(
        withExitCode(async (id: string, options: OperatorOptions) => {
          const { hideComment, removeComment } = await run();
          return (name === 'delete' ? removeComment : hideComment)(id, options, terminal);
        }),
      );
  change('delete', DELETE);
  change('hide', HIDE);
}
