/** `daybook changes`: the feed of changes. */
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';

const CHANGES: About = {
  summary: 'administer the feed of changes',
  description: 'Copies of the journal follow this feed (docs/changes.md).',
  examples: [['npx daybook changes reset', 'make all copies start again']],
};

const RESET: About = {
  summary: 'end all cursors of the feed, and fill it again',
  description: `
Clients receive 410 with their cursor, read the whole public journal again, and replace their copies. Meanwhile a running service
fills the feed from the journal, 10,000 objects a second; until then, the feed responds with 503. Use it if copies differ from the
journal, for example after a manual change of the database without its triggers, or after a copy of the database, of
DATA_DIR or of their disk was put back. Webhooks are disabled with their next message: resume them with --since latest.`.trim(),
  examples: [['npx daybook changes reset --yes', 'without a confirmation']],
};

export function addChanges({ addGroup, terminal }: Subcommands): void {
  const { add, withExitCode } = addGroup('changes', CHANGES);
  add('reset', RESET)
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (options: OperatorOptions) => {
        const { runReset } = await import('./changes/run.js');
        return runReset(options, terminal);
      }),
    );
}
