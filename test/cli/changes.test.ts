/** `daybook changes`, and what `doctor` reports about the feed. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { freshCopy, numberChanges, publicJournal, readPage } from '../support/changes.js';
import { runDaybook } from '../support/cli.js';
import { call, expectStatus } from '../support/client.js';
import { makeFolder } from '../support/folder.js';

describe('daybook changes', function () {
  this.timeout(60_000);
  const app = useApp();
  let env: Record<string, string>;
  before(async () => {
    env = { DATABASE_URL: app.database.url, DATA_DIR: await makeFolder() };
  });

  async function findings() {
    const { stdout } = await runDaybook(['doctor', '--json'], env);
    const all: { about: string; health: string; message: string }[] = JSON.parse(stdout).findings;
    return all.filter(({ about }) => about === 'Changes').map(({ health, message }) => [health, message]);
  }

  it('resets the feed, which is then filled from the journal', async () => {
    await buildArticle(app.url);
    await numberChanges(app.database);
    const { cursor } = await readPage(app.url);
    expect(await findings()).to.deep.equal([
      [
        'ok',
        '0 wait for their number in the feed. If a copy of the database or of its disk was put back, run "npx daybook changes reset" for copies of the journal and webhooks.',
      ],
    ]);
    const refused = await runDaybook(['changes', 'reset'], env);
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      'All copies of the journal have to be made again: confirm it with --yes.\n',
    ]);
    const { code, stdout } = await runDaybook(['changes', 'reset', '--yes'], env);
    expect([code, stdout]).to.deep.equal([0, 'The feed of changes was reset: a running service fills it again.\n']);
    await expectStatus(call(app.url, 'GET /api/changes'), 503, 'SERVICE_UNAVAILABLE');
    expect((await findings())[0]?.[0]).to.equal('note');
    for (let round = 0; round < 6; round++) await numberChanges(app.database);
    await expectStatus(call(app.url, `GET /api/changes?since=${cursor}`), 410, 'CURSOR_EXPIRED');
    expect((await freshCopy(app.url)).contents()).to.deep.equal(await publicJournal(app));
  });

  it('has a warning of the doctor if changes wait for a minute', async () => {
    await buildArticle(app.url);
    await app.database.sequelize.query(`update change_log set logged_at = now() - interval '2 minutes'`);
    const [[health, message] = []] = await findings();
    expect(health).to.equal('warning');
    expect(message).to.match(/^[1-9]\d* changes wait for their number in the feed, the oldest for 12\d seconds\.$/);
  });
});
