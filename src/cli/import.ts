/** `daybook import`: loads a WordPress export; the service may be running or not. */
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'load a WordPress export',
  description: `
Create the export in WordPress with Tools, Export, "All content". Authors and commenters become members who cannot log in,
published posts become articles with their categories and tags, and approved comments become comments. The command can be
repeated: records imported before are not changed.

Progress is written to standard error, and the report of added, skipped and changed records to standard output.`.trim(),
  examples: [
    ['npx daybook import journal.xml', 'all published content'],
    ['npx daybook import --skip-protected journal.xml', 'without password-protected posts'],
  ],
};

export function addImport({ add, withExitCode, terminal }: Subcommands): void {
  add('import', ABOUT)
    .argument('<file>', 'the export file (XML)')
    .option('--skip-protected', 'skip password-protected posts, which otherwise become public')
    .action(
      withExitCode((file: string, options: { skipProtected?: boolean }) =>
        load(file, options.skipProtected ?? false, terminal),
      ),
    );
}

async function load(file: string, skipProtected: boolean, terminal: Terminal): Promise<number> {
  const [{ loadConfig }, { connectDatabase }, { runImport }] = await Promise.all([
    import('../config/index.js'),
    import('../models/connect.js'),
    import('./import/run.js'),
  ]);
  const { env, stdout, stderr, listenForStop } = terminal;
  return runImport(file, {
    skipProtected,
    connect: async () => connectDatabase(loadConfig(env), (line) => stderr.write(`${line}\n`)),
    stdout,
    stderr,
    // The first signal stops after the current post; a second one ends the process, and the transaction of that post is rolled back.
    signal: listenForStop(),
  });
}
