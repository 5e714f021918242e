/** `daybook import`: loads what another product has exported; the service may be running or not. */
import type { About, Subcommands } from './subcommand.js';
import type { Terminal } from './terminal.js';

const ABOUT: About = {
  summary: 'load what another product has exported',
  description: `
The source is recognized by its content: an export of WordPress (WXR: Tools, Export, "All content"), Ghost (JSON, or a folder or ZIP archive of
it and content/images), Medium (ZIP) or Hashnode (JSON); or a file, a folder or a ZIP archive of Markdown or HTML with front matter (Hugo,
Jekyll, Obsidian, Velog backups, exports of Daybook and the archive of a member). The report says as what it was read, and why. docs/moving.md has the steps for each, and what is lost.
Authors and commenters become members who cannot log in, published texts articles with their categories, tags and slugs,
private ones private articles, drafts and scheduled texts drafts, and approved comments comments. --author names the author of texts
whose author the source does not name: the email of a member of this service. The command can be
repeated: records imported before are not changed, except with --update, which converts the contents of imported articles again and replaces those
that were not edited in this service since. Password-protected posts are skipped, since articles cannot have a password.

Images that are files of the source are stored as images of the authors. Those on other hosts stay there unless --images is
given, and disappear with them. With --images they are downloaded from http and https addresses on public servers, each up to the size of an
upload and 30 seconds, at most 20 GB and 12 hours in one run. The command can be repeated with --images: it downloads only what is missing,
also for articles imported without it. Galleries of WordPress ([gallery]) become lists of pictures if the file contains the media library.

Links between the articles are replaced by the addresses of their new pages if ARTICLE_URL is set. --report writes the report as
JSON, with each item of the source, and with the old address and the id of each article, from which redirects can be made on the old host.

--dry-run writes nothing and reports the same; with --images it downloads and checks the pictures. With --strict, the exit code is 1 if anything
was skipped or reduced. Progress is written to standard error, and the report of added, skipped, reduced and changed records to standard output.`.trim(),
  examples: [
    ['npx daybook import journal.xml', 'all content'],
    ['npx daybook import --dry-run journal.xml', 'what would be imported, skipped and reduced'],
    ['npx daybook import --images journal.xml', 'with pictures of other hosts'],
    [
      'npx daybook import --report report.json journal.xml',
      'with the old address and the id of each article, for redirects',
    ],
  ],
};

export function addImport({ add, withExitCode, terminal }: Subcommands): void {
  add('import', ABOUT)
    .argument('<source>', 'a file, a folder or a ZIP archive')
    .option('--publish-protected', 'import password-protected posts too: they become public')
    .option('--images', 'download the pictures of the articles, which otherwise stay on their old host')
    .option('--author <email>', 'the author where the source names none: a member of this service')
    .option('--update', 'convert the contents of imported articles again, except for those edited since')
    .option('--dry-run', 'write nothing, and report the same')
    .option('--strict', 'exit with code 1 if anything was skipped or reduced')
    .option('--report <file>', 'write the report as JSON to a file, which is replaced')
    .action(withExitCode((source: string, options: Options) => load(source, options, terminal)));
}

interface Options {
  publishProtected?: boolean;
  images?: boolean;
  author?: string;
  update?: boolean;
  dryRun?: boolean;
  strict?: boolean;
  report?: string;
}

async function load(path: string, options: Options, terminal: Terminal): Promise<number> {
  const { publishProtected = false, images = false, update = false, dryRun = false, strict = false } = options;
  const [{ loadConfig }, { connectDatabase, connectToExisting }, { runImport }, { openImageStore }] = await Promise.all(
    [
      import('../platform/config/index.js'),
      import('../models/connect-database.js'),
      import('./import/run.js'),
      import('../services/images/store.js'),
    ],
  );
  const { env, stdout, stderr, listenForStop } = terminal;
  const openPictures = async () => {
    const { imageStore, publicUrl } = loadConfig(env);
    return { images: await openImageStore(imageStore), publicUrl };
  };
  const { site } = loadConfig(env);
  return runImport(path, {
    publishProtected,
    authorEmail: options.author,
    articleUrl: site.hasArticlePages ? site.articleUrl : null,
    reportPath: options.report,
    openPictures,
    downloads: images,
    isUpdate: update,
    isDryRun: dryRun,
    isStrict: strict,
    connect: async () =>
      (dryRun ? connectToExisting : connectDatabase)(loadConfig(env), (line) => stderr.write(`${line}\n`)),
    stdout,
    stderr,
    // The first signal stops after the current post; one after two seconds or more ends the process, and the transaction of that post is rolled back.
    signal: listenForStop(),
  });
}
