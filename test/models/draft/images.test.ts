/** The references of drafts and their earlier states to images. */
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildImage, buildMember, useMember } from '../../support/build.js';
import { call, expectStatus } from '../../support/client.js';
import { newDraft, saveDraft } from '../../support/draft-saves.js';
import { addJobs, runJobs } from '../../support/jobs.js';

const app = useApp();

type Writer = Pick<BuiltMember, 'token'>;

const save = (id: number, json: unknown, writer: Writer) => saveDraft(app.url, writer, id, json);
const buildDraft = (json: object, writer: Writer) => newDraft(app.url, writer, json);
const rows = <Row extends object>(text: string) => app.database.sequelize.query<Row>(text, { type: QueryTypes.SELECT });

describe('Images of drafts', () => {
  const member = useMember(app);
  const age = () => rows(`update images set unreferenced_at = unreferenced_at - interval '8 days'`);
  const clean = async () => {
    await age();
    await addJobs(app.database, 'remove-unreferenced-images', [{}]);
    await runJobs(app);
  };
  const exists = async (id: number) => (await rows(`select id from images where id = ${id}`)).length === 1;

  it('stay while a draft or an earlier state of it contains them, and are removed after', async () => {
    const [shown, old, lead, unused] = [
      await buildImage(app.url, member),
      await buildImage(app.url, member),
      await buildImage(app.url, member),
      await buildImage(app.url, member),
    ];
    const id = await buildDraft({ content: `![](${old.url})`, imageId: lead.id }, member);
    await rows(`update drafts set stored_at = now() - interval '1 hour' where id = ${id}`);
    await save(id, { content: `![](${shown.url})` }, member);
    await clean();
    expect(await Promise.all([shown, old, lead, unused].map((image) => exists(image.id)))).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
    await save(id, { removeImage: true }, member);
    await clean();
    expect(await Promise.all([shown, old, lead].map((image) => exists(image.id)))).to.deep.equal([true, true, false]);
    await call(app.url, `DELETE /api/drafts/${id}`, { token: member.token });
    await clean();
    expect(await Promise.all([shown, old].map((image) => exists(image.id)))).to.deep.equal([false, false]);
  });

  it('are not deleted by their owners while a draft contains them: 409; earlier states do not prevent it', async () => {
    const [inText, lead] = [await buildImage(app.url, member), await buildImage(app.url, member)];
    const id = await buildDraft({ content: `![](${inText.url})`, imageId: lead.id }, member);
    await buildDraft({ content: inText.url }, await buildMember(app.url));
    const remove = (imageId: number) => call(app.url, `DELETE /api/images/${imageId}`, { token: member.token });
    for (const image of [inText, lead]) await expectStatus(remove(image.id), 409, 'IMAGE_IN_USE');
    await rows(`update drafts set stored_at = now() - interval '1 hour' where id = ${id}`);
    await save(id, { content: '', removeImage: true }, member);
    for (const image of [inText, lead]) await expectStatus(remove(image.id), 200, '1');
  });

  it('stay for an article that contains them when the draft is deleted', async () => {
    const image = await buildImage(app.url, member);
    const { id: articleId } = await buildArticle(app.url, { content: image.url }, member);
    const { body } = await call(app.url, `PUT /api/articles/${articleId}/draft`, { token: member.token });
    await call(app.url, `DELETE /api/drafts/${body?.data.id}`, { token: member.token });
    await clean();
    expect(await exists(image.id)).to.equal(true);
  });

  it('are released by the withdrawal of the author, with the drafts', async () => {
    const [writer, owner] = [await buildMember(app.url), await buildMember(app.url)];
    const image = await buildImage(app.url, owner);
    const id = await buildDraft({ content: image.url }, writer);
    await rows(`update drafts set stored_at = now() - interval '1 hour' where id = ${id}`);
    await save(id, { title: 'T' }, writer);
    await clean();
    expect(await exists(image.id)).to.equal(true);
    const { token, password } = writer;
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token, json: { password } }), 200, '1');
    const left = `select (select count(*) from drafts where member_id = ${writer.id})
      + (select count(*) from draft_revisions where draft_id = ${id})
      + (select count(*) from draft_counts where member_id = ${writer.id}) as left`;
    expect(await rows(left)).to.deep.equal([{ left: 0 }]);
    await clean();
    expect(await exists(image.id)).to.equal(false);
  });
});
