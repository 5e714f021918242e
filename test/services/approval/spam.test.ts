/** The spam score: its precision and recall, and the service that learns from decisions. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../src/cli/generate/files.js';
import { SpamModel } from '../../../src/services/approval/check.js';
import { emptyCounts, learn, spamScoreOf } from '../../../src/services/approval/spam-score.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { buildHeldComment, makeModerator, setApproval } from '../../support/held.js';
import { rowsOf } from '../../support/imported.js';
import { runJobs } from '../../support/jobs.js';
import { until } from '../../support/until.js';

interface Sample {
  isSpam: boolean;
  text: string;
}

const FOLDS = 10;
const THRESHOLD = 0.9;

let samples: Sample[];
before(async () => {
  const file = await readFile(new URL('test/data/spam-comments.ndjson', ROOT), 'utf8');
  samples = file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
});

const learned = (texts: readonly Sample[]) => {
  const model = emptyCounts();
  for (const { text, isSpam } of texts) learn(model, text, isSpam);
  return model;
};

describe('The spam score', () => {
  it('has the precision and the recall that docs/moderation.md reports', async () => {
    const isEnglish = ({ text }: Sample) => !/\p{Script=Hangul}/u.test(text);
    const models = Array.from({ length: FOLDS }, (_, fold) =>
      learned(samples.filter((_, index) => index % FOLDS !== fold)),
    );
    const found = samples.map((sample, index) => {
      const model = models[index % FOLDS] ?? emptyCounts();
      return { ...sample, isHeld: (spamScoreOf(model, sample.text) ?? 0) > THRESHOLD };
    });
    const row = (label: string, rows: typeof found) => {
      const count = (isSpam: boolean, isHeld: boolean) =>
        rows.filter((one) => one.isSpam === isSpam && one.isHeld === isHeld).length;
      const [hits, errors, missed] = [count(true, true), count(false, true), count(true, false)];
      const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
      const sizes = `${hits + missed} | ${rows.length - hits - missed}`;
      return `| ${label} | ${sizes} | ${percent(hits, hits + errors)} | ${percent(hits, hits + missed)} |`;
    };
    const docs = await readFile(new URL('docs/moderation.md', ROOT), 'utf8');
    const english = found.filter(isEnglish);
    const korean = found.filter((one) => !isEnglish(one));
    for (const line of [row('English', english), row('Korean', korean), row('Both', found)])
      expect(docs.split('\n'), line).to.include(line);
  });

  it('is the same for the same texts, and for texts that are written so that programs do not find them', () => {
    const model = learned(samples);
    const scoreOf = (text: string) => spamScoreOf(model, text);
    expect(learned(samples)).to.deep.equal(model);
    for (const [plain, ...others] of [
      [
        'casino bonus',
        'c a s i n o   b-o-n-u-s',
        'c\u200ba\u200bs\u200bi\u200bn\u200bo bonus',
        'ｃａｓｉｎｏ　ｂｏｎｕｓ',
        'саsinо bоnus',
        'CASINO Bonus!',
      ],
      [
        '카지노 가입',
        '카 지 노 가 입',
        'ㅋㅏㅈㅣㄴㅗ ㄱㅏㅇㅣㅂ',
        '카\u200b지\u200b노가입',
        '카지노 가입'.normalize('NFD'),
        '카.지.노.가.입',
      ],
      ['visit lucky.com/x', 'visit http://lucky.com/x', 'visit https://www.lucky.com/x', 'visit lucky . com/x'],
    ] as const) {
      expect(scoreOf(plain), plain).to.be.a('number');
      for (const other of others) expect(scoreOf(other), other).to.equal(scoreOf(plain));
    }
  });

  it('is missing before 50 decisions, and without decisions of both kinds', () => {
    const [spam, other] = [samples.filter(({ isSpam }) => isSpam), samples.filter(({ isSpam }) => !isSpam)];
    expect(spamScoreOf(learned([...spam.slice(0, 25), ...other.slice(0, 24)]), 'casino')).to.equal(null);
    expect(spamScoreOf(learned([...spam.slice(0, 25), ...other.slice(0, 25)]), 'casino')).to.be.a('number');
    expect(spamScoreOf(learned(spam), 'casino')).to.equal(null);
  });

  it('forgets slowly, and its counters do not overflow', () => {
    const model = learned(samples.slice(0, 60));
    for (let times = 0; times < 40_000; times++) learn(model, 'hello', false);
    expect(model.spam + model.other).to.be.at.most(30_000);
    expect(model.counts.every((count) => count <= 30_000)).to.equal(true);
  });
});

describe('Decisions', () => {
  const app = useApp({ COMMENT_APPROVAL: 'none', COMMENT_MAX_LINKS: '3' });
  const allApp = useApp({ COMMENT_APPROVAL: 'all' });
  let article: BuiltArticle;
  let writer: BuiltMember;
  beforeEach(async () => {
    await app.database.sequelize.query('truncate spam_model, spam_labels, spam_deciders');
    article = await buildArticle(app.url);
    writer = await buildMember(app.url);
  });

  const decide = async (text: string, isSpam: boolean) => {
    const { id } = await buildHeldComment(allApp.url, article.id, { content: text }, writer);
    expect((await setApproval(allApp.url, id, !isSpam, article.author)).status).to.equal(200);
  };
  const write = async (url: string, content: string) => {
    const json = { content };
    const { body } = await call(url, `POST /api/articles/${article.id}/comments`, { token: writer.token, json });
    return body?.data;
  };
  const modelOf = () => rowsOf<{ spam: number; other: number }>(app.database, 'select spam, other from spam_model');

  it('teach all processes, from 50 on, and hold what is above the threshold, in both kinds of writes', async () => {
    const [spam, other] = [samples.filter(({ isSpam }) => isSpam), samples.filter(({ isSpam }) => !isSpam)];
    const taught = [...spam.slice(0, 25), ...other.slice(0, 24)];
    for (const { text, isSpam } of taught) await decide(text, isSpam);
    await runJobs(app);
    expect(await modelOf()).to.deep.equal([{ spam: 25, other: 24 }]);
    expect((await write(app.url, spam[0]?.text ?? '')).held).to.equal(false);
    await decide(other[24]?.text ?? '', false);
    await runJobs(app);
    expect(await rowsOf(app.database, 'select from spam_labels')).to.deep.equal([]);
    await until(async () => (await write(app.url, spam[0]?.text ?? '')).held === true);
    const restarted = new SpamModel(app.database, app.services.log);
    await restarted.load();
    expect(restarted.scoreOf(spam[0]?.text ?? '')).to.be.above(THRESHOLD);
    const shown = await write(app.url, other[0]?.text ?? '');
    expect(shown.held).to.equal(false);
    const json = { content: spam[1]?.text };
    const edited = await call(app.url, `PATCH /api/comments/${shown.id}`, { token: writer.token, json });
    expect(edited.body?.data.held).to.equal(true);
    const [row] = await rowsOf<{ score: number }>(
      app.database,
      `select spam_score as score from held_comments where id = ${shown.id}`,
    );
    expect(row?.score).to.be.within(0.9, 1);
  });

  it('of one member count in full up to 100, and then up to a quarter of all; those of moderators and operators always', async () => {
    const label = (deciderId: number | null, count: number) =>
      app.database.sequelize.query(`insert into spam_labels (content, is_spam, decided_by)
        select 'text ' || n, n % 2 = 0, ${deciderId} from generate_series(1, ${count}) n`);
    const learn = async () => {
      await app.database.sequelize.query(`select graphile_worker.add_job('learn-spam', '{}')`);
      await runJobs(app);
      const [model] = await modelOf();
      return (model?.spam ?? 0) + (model?.other ?? 0);
    };
    await label(writer.id, 450);
    expect(await learn()).to.equal(100);
    const moderator = await buildMember(app.url);
    await makeModerator(app, moderator);
    await label(moderator.id, 500);
    expect(await learn()).to.equal(600);
    await label(writer.id, 450);
    expect(await learn()).to.equal(667);
    await label(null, 300);
    expect(await learn()).to.equal(967);
  });

  it('are forgotten with the account before they are learned', async () => {
    await decide('Some text', true);
    const { token, password } = writer;
    await call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    expect(await rowsOf(app.database, 'select from spam_labels')).to.deep.equal([]);
  });
});
