/** `daybook import`: loads a WordPress export; the service may be running or not. */
import type { About, Commands } from './command.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'load a WordPress export',
  description: `
In WordPress: Tools, Export, "All content". Authors and commenters become members without a login, published posts
articles with their categories and tags, approved comments comments. It can be run again: what is there stays as it is.

Progress goes to standard error, the report of what was added, left out and changed to standard output.`.trim(),
  examples: [
    ['npx daybook import journal.xml', 'everything that is published'],
    ['npx daybook import --skip-protected journal.xml', 'without posts that a password protects'],
  ],
};

interface ImportOptions {
  skipProtected?: boolean;
}

export function addImport({ add, withExitCode, terminal }: Commands): void {
  add('import', ABOUT)
    .argument('<file>', 'the export, an XML file')
    .option('--skip-protected', 'leave out posts that a password protects, which otherwise everybody can read')
    .action(
      withExitCode((file: string, { skipProtected = false }: ImportOptions) => load(file, skipProtected, terminal)),
    );
}

async function load(file: string, skipProtected: boolean, terminal: Terminal): Promise<number> {
  const [{ loadConfig }, { connectDatabase }, { runImport }] = await Promise.all([
    import('../config/index.js'),
    import('../models/connect.js'),
    import('./import/command.js'),
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
