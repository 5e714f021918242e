/** `daybook article`: the subcommands that concern articles. */
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';

const DELETE: About = {
  summary: 'delete an article',
  description:
    'With its comments and image. This cannot be reverted. The deletion is recorded in the audit trail of its author.',
  examples: [['npx daybook article delete 12', 'after a confirmation']],
};

const GROUP: About = {
  summary: 'delete articles',
  description: 'Articles of any member.',
  examples: DELETE.examples,
};

export function addArticle({ addGroup, withExitCode, terminal }: Subcommands): void {
  addGroup('article', GROUP)
    .add('delete', DELETE)
    .argument('<id>', 'ID of the article')
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (id: string, options: OperatorOptions) => {
        const { removeArticle } = await import('./moderation/run.js');
        return removeArticle(id, options, terminal);
      }),
    );
}
