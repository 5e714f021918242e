/** docs/writing.md: its commands lead to the responses that it describes, one after the other. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, startService } from '../support/process.js';
import { runInShell, shellOf } from '../support/shell.js';

describe('docs/writing.md', function () {
  this.timeout(60_000);
  let service: RunningService;
  before(async () => {
    service = await startService(await freshDatabase('writing'));
  });
  after(() => service.stop());

  it('has commands that save, share, schedule, publish, edit and restore a text, with the errors that it shows', async () => {
    const { token: TOKEN } = await buildMember(service.url);
    const { PATH = '', HOME = '' } = process.env;
    const environment = { PATH, HOME, TOKEN, FOLDER: await makeFolder(), DAYBOOK: fileURLToPath(ROOT) };
    const document = await readDocument('docs/writing.md');
    const output = await runInShell(shellOf(document), environment, service.url, 'docs/writing.md');
    const codes = [...output.matchAll(/^\{"code":"(\w+)","message":"([^"]+)/gm)].map(([, code, message]) =>
      code === '1' ? message : code,
    );
    expect(codes).to.deep.equal([
      ...['Draft saved.', 'Draft saved.', 'PRECONDITION_FAILED', 'OK', 'Draft saved.', 'OK'],
      ...['OK', 'OK'],
      ...['Publication scheduled.', 'OK', 'Schedule removed.'],
      ...['Draft saved.', 'VALIDATION_FAILED', 'Draft saved.', 'OK', 'DRAFT_NOT_FOUND', 'SHARE_NOT_FOUND'],
      ...['Draft saved.', 'Article changed.', 'REVISION_CONFLICT', 'Draft saved.', 'Draft published.'],
      ...['Article changed.', 'Article changed.', 'Article changed.', 'Article created.', 'OK'],
      ...['OK', 'OK', 'Revision restored.'],
      ...['Article changed.', 'VALIDATION_FAILED'],
    ]);
    const { body } = await call(service.url, 'GET /api/articles/1');
    expect(body?.data).to.include({
      content: 'It comes from the sea, and stays until nine.',
      revision: 8,
      language: 'en',
    });
    expect(body?.data).to.include({
      description: 'What the fog does to the harbor.',
      canonicalUrl: 'https://blog.example.org/fog',
      publishedAt: '2024-11-20T09:30:00',
    });
    const errorsIn = (text: string) =>
      text.match(/^\{"code":"(?!1").*/gm)?.map((line) => line.replace(/W\/\S+"/, 'a tag'));
    expect(errorsIn(output)).to.deep.equal(errorsIn(document));
  });
});
