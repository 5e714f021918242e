/** `daybook doctor`: checks whether the service can run with the current settings, with advice for each problem. */
import type { About, Commands } from './command.js';

const ABOUT: About = {
  summary: 'check that everything is set up, and say what to do where not',
  description: `
Looks at the settings, Node, the data folder, the database, where images are kept, Redis, the AI provider, login providers
and the port. ✓ is in order, – says how things are, ! should be looked at, ✗ must be mended; below ! and ✗ stands what to do.

Nothing is started, made or migrated. The embedded PostgreSQL is looked into while it runs. A file is written to where
images are kept and deleted again, and an AI provider is asked for one word. No secret is printed.`.trim(),
  examples: [
    ['npx daybook doctor', 'ends with 1 where something must be mended'],
    ['npx daybook doctor --json', 'the same for programs'],
  ],
};

export function addDoctor({ add, withExitCode, terminal }: Commands): void {
  add('doctor', ABOUT)
    .option(
      '--json',
      'print JSON: ok, and findings with about, health (ok, note, warning, failure), message and advice',
    )
    .action(
      withExitCode(async ({ json = false }: { json?: boolean }) => {
        const { runDoctor } = await import('./doctor/command.js');
        return runDoctor(json, terminal);
      }),
    );
}
