/** `daybook import`: loads a WordPress export; the service may be running or not. */
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'load a WordPress export',
  description: `
Create the export in WordPress with Tools, Export, "All content". Authors and commenters become members who cannot log in,
published posts become articles with their categories, tags and slugs, private ones private articles, drafts and scheduled ones
drafts, and approved comments become comments. The command can be
repeated: records imported before are not changed. Password-protected posts are skipped, since articles cannot have a password.

Pictures stay on their old host unless --images is given, and disappear with it. With --images they are downloaded from http and
https addresses on public servers, each up to the size of an upload and 30 seconds, at most 20 GB and 12 hours in one run, and
stored as images of the authors. The command can be repeated with --images: it downloads only what is missing, also for articles imported without it.
Galleries ([gallery]) become lists of pictures if the file contains the media library.

Links between the articles are replaced by the addresses of their new pages if ARTICLE_URL is set. --report writes the report as
JSON, with the old address and the id of each article, from which redirects can be made on the old host.

Progress is written to standard error, and the report of added, skipped and changed records to standard output.`.trim(),
  examples: [
    ['npx daybook import journal.xml', 'all content'],
    ['npx daybook import --images journal.xml', 'with pictures'],
    [
      'npx daybook import --report report.json journal.xml',
      'with the old address and the id of each article, for redirects',
    ],
  ],
};

export function addImport({ add, withExitCode, terminal }: Subcommands): void {
  add('import', ABOUT)
    .argument('<file>', 'the export file (XML)')
    .option('--publish-protected', 'import password-protected posts too: they become public')
    .option('--images', 'download the pictures of the articles, which otherwise stay on their old host')
    .option('--report <file>', 'write the report as JSON to a file, which is replaced')
    .action(withExitCode((file: string, options: Options) => load(file, options, terminal)));
}

interface Options {
  publishProtected?: boolean;
  images?: boolean;
  report?: string;
}

async function load(
  file: string,
  { publishProtected = false, images = false, report: reportPath }: Options,
  terminal: Terminal,
): Promise<number> {
  const [{ loadConfig }, { connectDatabase }, { runImport }, { openImageStore }] = await Promise.all([
    import('../platform/config/index.js'),
    import('../models/connect-database.js'),
    import('./import/run.js'),
    import('../services/images/store.js'),
  ]);
  const { env, stdout, stderr, listenForStop } = terminal;
  const openPictures = async () => {
    const { imageStore, publicUrl } = loadConfig(env);
    return { images: await openImageStore(imageStore), publicUrl };
  };
  const { site } = loadConfig(env);
  return runImport(file, {
    publishProtected,
    articleUrl: site.hasArticlePages ? site.articleUrl : null,
    reportPath,
    ...(images && { openPictures }),
    connect: async () => connectDatabase(loadConfig(env), (line) => stderr.write(`${line}\n`)),
    stdout,
    stderr,
    // The first signal stops after the current post; a second one ends the process, and the transaction of that post is rolled back.
    signal: listenForStop(),
  });
}
