/** Markdown documents: every shown command works. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { type AiProvider, respond, startAiProvider } from '../support/ai-provider.js';
import { freshDatabase } from '../support/database.js';
import { documents, fencesOf, readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, startService } from '../support/process.js';
import { requireDocumentedCodes, runInShell, shellOf } from '../support/shell.js';

const root = fileURLToPath(ROOT);

describe('Commands in Markdown documents', function () {
  this.timeout(180_000);
  let provider: AiProvider;
  let service: RunningService;
  let environment: Record<string, string>;
  /** Of the commands in README.md, which add the sample journal. */
  let output: string;

  before(async () => {
    const databaseUrl = await freshDatabase('daybook_documents');
    provider = await startAiProvider();
    provider.setResponses(respond.withText('Ahoy.'));
    const DATA_DIR = await makeFolder();
    service = await startService(databaseUrl, { ...provider.environment, DATA_DIR });
    const { PATH = '', HOME = '' } = process.env;
    const folder = await makeFolder();
    await symlink(join(root, 'docs'), join(folder, 'docs'));
    environment = {
      PATH,
      HOME,
      FOLDER: folder,
      DAYBOOK: `${process.execPath} ${root}dist/src/cli/main.js`,
      DATABASE_URL: databaseUrl,
      DATA_DIR,
      LOG_LEVEL: 'fatal',
    };
    const commands = shellOf(await readDocument('README.md')).filter((text) => !text.startsWith('npm ci'));
    expect(commands.length).to.be.above(5);
    output = await runInShell(commands, environment, service.url);
  });
  after(async () => {
    await service.stop();
    await provider.close();
  });

  it('run from beginning to end in README.md', async () => {
    requireDocumentedCodes(output, await readDocument('README.md'));
    expect(output).to.include('반갑습니다').and.include('<title>').and.include('"code":"1"');
  });

  it('run on the sample journal, as one of its members, in the other documents', async () => {
    // docs/moving.md needs the files of other products, which its own test has.
    const paths = (await documents()).filter(
      (path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/') && path !== 'docs/moving.md',
    );
    const [, password = ''] = /with the password {2}(\S+)/.exec(output) ?? [];
    const TOKEN = await logIn(service.url, 'theo@example.org', password);
    for (const path of paths) {
      const commands = shellOf(await readDocument(path));
      if (commands.length === 0) continue;
      const shown = await runInShell(commands, { ...environment, TOKEN, PASSWORD: password }, service.url, path);
      requireDocumentedCodes(shown, await readDocument(path));
    }
  });
});

describe('Commands in Markdown documents that are not run', () => {
  it('give a reason', async () => {
    for (const path of await documents()) {
      for (const { info, exemption, text } of fencesOf(await readDocument(path))) {
        if (exemption !== undefined) expect(exemption.length, `${path}: ${text}`).to.be.above(10);
        expect(info, path).not.to.match(/^(bash|shell|console|zsh)/);
      }
    }
  });
});

async function logIn(url: string, email: string, password: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  const { data } = (await response.json()) as { data: { accessToken: string } };
  return data.accessToken;
}
