/** The mirror of docs/changes.md: extracted, run by Python, and killed at any time. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DELETE_OLD_REMOVALS } from '../../src/models/change.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { numberChanges, publicJournal } from '../support/changes.js';
import { call } from '../support/client.js';
import { fencesOf, readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';

const execute = promisify(execFile);
const KILLS = 20;

const DUMP = `import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("select type, id, data from objects")
print(json.dumps({f"{type} {id}": json.loads(data) for type, id, data in rows}))`;

describe('The mirror of docs/changes.md', function () {
  this.timeout(120_000);
  const app = useApp({ LIMIT_WRITES: '1000000/10m' });

  it('has the journal after it was killed twenty times, and after its cursor has expired', async () => {
    const folder = await makeFolder();
    const [script, file] = [join(folder, 'mirror.py'), join(folder, 'journal.db')];
    const text =
      fencesOf(await readDocument('docs/changes.md')).find(({ info }) => info === 'python mirror.py')?.text ?? '';
    expect(text.split('\n')).to.have.lengthOf.at.most(61);
    await writeFile(script, text);
    const mirror = () => execute('python3', [script, app.url, file]);
    const contents = async () => {
      const objects = JSON.parse((await execute('python3', ['-c', DUMP, file])).stdout) as Record<string, object>;
      return Object.entries(objects).sort(([one], [other]) => (one < other ? -1 : 1));
    };
    const expected = async () => {
      const journal = Object.entries(await publicJournal(app)) as [string, Record<string, unknown>][];
      return journal.map(([key, { revision: _, ...data }]) => [key, data]);
    };

    const author = await buildMember(app.url);
    const articles = [];
    for (let count = 0; count < 60; count++) articles.push(await buildArticle(app.url, {}, author));
    for (let kill = 0; kill < KILLS; kill++) {
      const [article, other] = [articles[kill], articles[kill + KILLS]];
      if (!article || !other) throw new Error('no article');
      await buildComment(app.url, article.id, {}, author);
      await call(app.url, `DELETE /api/articles/${other.id}`, { token: author.token });
      const json = { visibility: kill % 3 === 0 ? 'PUBLIC' : 'PRIVATE' };
      await call(app.url, `PUT /api/articles/${article.id}/visibility`, { token: author.token, json });
      await numberChanges(app.database);
      const child = spawn('python3', [script, app.url, file], { stdio: 'ignore' });
      const end = once(child, 'exit');
      await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 50 + 20 * kill))]);
      child.kill('SIGKILL');
      await end;
    }
    await mirror();
    expect(await contents()).to.deep.equal(await expected());

    const last = articles.at(-1);
    await call(app.url, `DELETE /api/articles/${last?.id}`, { token: author.token });
    await numberChanges(app.database);
    await app.database.sequelize.query(`update changes set changed_at = '2020-01-01' where is_removed`);
    await app.database.query(DELETE_OLD_REMOVALS, [1_000, 1_000]);
    await mirror();
    expect(await contents()).to.deep.equal(await expected());
  });
});
