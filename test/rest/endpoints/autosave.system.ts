/** An editor that saves a long text every five seconds: the first half of an hour, whose counts give those of three hours. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call, expectStatus } from '../../support/client.js';

const app = useApp();

const SAVES = 360;
const SAVES_IN_THREE_HOURS = 2_160;
const SAVES_IN_TEN_MINUTES = 120;

describe('A text of 100,000 characters', () => {
  const member = useMember(app);

  const rows = (text: string) => app.database.sequelize.query(text, { type: QueryTypes.SELECT });
  const searchRows = () => rows('select article_id, xmin::text, ctid::text from article_search order by 1');

  it(`is saved ${SAVES} times without reaching a limit or writing into the search index`, async () => {
    const { token } = member;
    await buildArticle(app.url, {}, member);
    const { body } = await call(app.url, 'POST /api/drafts', { token, json: {} });
    const id = body?.data.id;
    const before = await searchRows();
    const text = '등대'.repeat(49_900);
    let bytes = 0;
    for (let save = 1; save <= SAVES; save++) {
      if (save % SAVES_IN_TEN_MINUTES === 0)
        await rows(`update drafts set stored_at = stored_at - interval '10 minutes' where id = ${id}`);
      const content = text + randomBytes(100).toString('hex');
      bytes += Buffer.byteLength(content);
      const options = { token, json: { title: 'T', content }, headers: { 'If-Match': `W/"${save}.x"` } };
      const saved = await expectStatus(call(app.url, `PATCH /api/drafts/${id}`, options), 200, '1');
      expect(saved.body?.data.revision).to.equal(save + 1);
    }
    expect(await searchRows()).to.deep.equal(before);
    const counted = await rows(`select points from rate_limits where key like 'draft-bytes:%'`);
    expect(counted).to.deep.equal([{ points: bytes }]);
    const [{ stored }] = (await rows('select count(*)::integer as stored from draft_revisions')) as [
      { stored: number },
    ];
    expect(stored).to.equal(SAVES / SAVES_IN_TEN_MINUTES);
    const writes = await rows(`select points from rate_limits where key like 'draft-writes:%'`);
    // The creation of the draft is a write too.
    expect(writes).to.deep.equal([{ points: SAVES + 1 }]);
    const { draftBytes, draftWrites } = app.services.config.limits;
    expect(SAVES_IN_THREE_HOURS * 400_000, 'of four bytes each').to.be.below(draftBytes.points);
    expect(SAVES_IN_THREE_HOURS + 1).to.be.below(draftWrites.points);
  }).timeout(300_000);
});
