/** `daybook doctor`: checks whether the service can run with the current settings, with advice for each problem. */
import type { About, Subcommands } from './subcommand.js';

const ABOUT: About = {
  summary: 'check the setup and suggest corrections',
  description: `
Checks the settings, Node.js, the data folder, the database, the image storage, the AI provider, the login providers
and the port. ✓ marks a passed check, – a note, ! a warning and ✗ a failure; advice follows each warning and failure.

Nothing is started, created or migrated. The embedded PostgreSQL is checked only while it runs. A test file is written to the
image storage and deleted, and a short request is sent to the AI provider. No secret is printed.`.trim(),
  examples: [
    ['npx daybook doctor', 'exit code 1 if a check failed'],
    ['npx daybook doctor --json', 'the same as JSON'],
  ],
};

export function addDoctor({ add, withExitCode, terminal }: Subcommands): void {
  add('doctor', ABOUT)
    .option(
      '--json',
      'print JSON: ok, and findings with about, health (ok, note, warning, failure), message and advice',
    )
    .action(
      withExitCode(async ({ json = false }: { json?: boolean }) => {
        const { runDoctor } = await import('./doctor/run.js');
        return runDoctor(json, terminal);
      }),
    );
}
