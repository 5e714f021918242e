/** `daybook import`: loads a WordPress export; the service may be running or not. */
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'load a WordPress export',
  description: `
Create the export in WordPress with Tools, Export, "All content". Authors and commenters become members who cannot log in,
published posts become articles with their categories and tags, and approved comments become comments. The command can be
repeated: records imported before are not changed.

Pictures stay on their old host unless --images is given, and disappear with it. With --images they are downloaded from http and
https addresses on public servers, at most 10 MB and 30 seconds each and 20 GB and 12 hours in one run, and stored as images of
the authors. The command can be repeated with --images: it downloads only what is missing, also for articles imported without it.
Galleries ([gallery]) become lists of pictures if the file contains the media library.

Progress is written to standard error, and the report of added, skipped and changed records to standard output.`.trim(),
  examples: [
    ['npx daybook import journal.xml', 'all published content'],
    ['npx daybook import --images journal.xml', 'with pictures'],
    ['npx daybook import --skip-protected journal.xml', 'without password-protected posts'],
  ],
};

export function addImport({ add, withExitCode, terminal }: Subcommands): void {
  add('import', ABOUT)
    .argument('<file>', 'the export file (XML)')
    .option('--skip-protected', 'skip password-protected posts, which otherwise become public')
    .option('--images', 'download the pictures of the articles, which otherwise stay on their old host')
    .action(withExitCode((file: string, options: Options) => load(file, options, terminal)));
}

interface Options {
  skipProtected?: boolean;
  images?: boolean;
}

async function load(
  file: string,
  { skipProtected = false, images = false }: Options,
  terminal: Terminal,
): Promise<number> {
  const [{ loadConfig }, { connectDatabase }, { runImport }, { openImageStore }] = await Promise.all([
    import('../config/index.js'),
    import('../models/connect.js'),
    import('./import/run.js'),
    import('../images/store.js'),
  ]);
  const { env, stdout, stderr, listenForStop } = terminal;
  const openPictures = async () => {
    const { imageStore, publicUrl } = loadConfig(env);
    return { images: await openImageStore(imageStore), publicUrl };
  };
  return runImport(file, {
    skipProtected,
    ...(images && { openPictures }),
    connect: async () => connectDatabase(loadConfig(env), (line) => stderr.write(`${line}\n`)),
    stdout,
    stderr,
    // The first signal stops after the current post; a second one ends the process, and the transaction of that post is rolled back.
    signal: listenForStop(),
  });
}
