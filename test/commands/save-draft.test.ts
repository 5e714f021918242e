/** Saves of drafts: statements, conflicts, saves without a difference, stored states. */
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { MAX_DRAFT_BYTES } from '../../src/models/draft/draft.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildImage, buildMember, useMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { newDraft, readDraft, saveDraft } from '../support/draft-saves.js';
import { interleave } from '../support/interleave.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

type Writer = Pick<BuiltMember, 'token'>;

const save = (id: number, json: unknown, writer: Writer, ifMatch?: string) =>
  saveDraft(app.url, writer, id, json, ifMatch);
const buildDraft = (json: object, writer: Writer) => newDraft(app.url, writer, json);
const read = (id: number, writer: Writer) => readDraft(app.url, writer, id);
const rows = <Row extends object>(text: string) => app.database.sequelize.query<Row>(text, { type: QueryTypes.SELECT });

/** The physical version of the row. */
async function versionOf(id: number): Promise<object | undefined> {
  return (await rows(`select xmin::text, xmax::text, ctid::text from drafts where id = ${id}`))[0];
}

describe('A save of a draft', () => {
  const member = useMember(app);
  const TEXT = { title: 'Owls', content: 'In the attic.', category: 'General', tags: ['bird'], slug: 'owls' };

  it('is one statement besides the token and the limits, also with If-Match and with a stored state', async () => {
    const id = await buildDraft(TEXT, member);
    await rows(`update drafts set stored_at = now() - interval '1 hour' where id = ${id}`);
    const texts = await statementsDuring(() =>
      save(id, { ...TEXT, title: 'Bats', content: 'In the cave.' }, member, 'W/"1.x"'),
    );
    expect(texts).to.have.length(3);
    expect(texts[1]).to.include('rate_limits');
    expect(texts[2]).to.include('update drafts');
    expect(await rows(`select number, title, content from draft_revisions where draft_id = ${id}`)).to.deep.equal([
      { number: 1, title: 'Owls', content: 'In the attic.' },
    ]);
    expect(await read(id, member)).to.include({ title: 'Bats', content: 'In the cave.', revision: 2 });
  });

  it('returns the draft without its content, with the new revision in the ETag', async () => {
    const id = await buildDraft(TEXT, member);
    const { body, headers } = await save(id, { content: 'x' }, member);
    expect(body?.data).to.include({ id, title: 'Owls', revision: 2 }).and.not.have.property('content');
    expect(headers.get('etag')).to.match(/^W\/"2\./);
    const { headers: own } = await call(app.url, `GET /api/drafts/${id}`, { token: member.token });
    expect(own.get('etag')).to.match(/^W\/"2\./);
  });

  it('changes only what it contains; an empty category or slug clears it', async () => {
    const id = await buildDraft({ ...TEXT, visibility: 'PRIVATE' }, member);
    const rest = { ...TEXT, visibility: 'PRIVATE' };
    await save(id, { title: '' }, member);
    expect(await read(id, member)).to.deep.include({ ...rest, title: '' });
    await save(id, { category: '', slug: '', tags: [], visibility: 'PUBLIC', content: '' }, member);
    expect(await read(id, member)).to.deep.include({
      title: '',
      content: '',
      category: null,
      slug: null,
      tags: [],
      visibility: 'PUBLIC',
      revision: 3,
    });
  });

  it('that equals the stored text writes nothing, whatever it repeats', async () => {
    const image = await buildImage(app.url, member);
    const json = { ...TEXT, visibility: 'PRIVATE', imageId: image.id };
    const id = await buildDraft(json, member);
    const before = [await versionOf(id), (await read(id, member)).updatedAt];
    for (const same of [
      {},
      json,
      { title: ' Owls ' },
      { category: 'GENERAL' },
      { tags: ['BIRD'] },
      { baseRevision: 3 },
    ])
      expect((await save(id, same, member)).body?.data.revision, JSON.stringify(same)).to.equal(1);
    expect((await save(id, json, member, 'W/"1.x"')).status).to.equal(200);
    expect([await versionOf(id), (await read(id, member)).updatedAt]).to.deep.equal(before);
  });

  it('does not write a stored text again that stays the same', async () => {
    const content = Array.from({ length: 18_000 }, (_, number) => number).join(' ');
    const id = await buildDraft({ content }, member);
    const chunks = async () => {
      const [{ name }] = (await rows(`select reltoastrelid::regclass::text as name from pg_class
        where oid = 'drafts'::regclass`)) as [{ name: string }];
      return rows(`select chunk_id, xmin::text from ${name} order by 1, chunk_seq`);
    };
    const before = await chunks();
    expect(before).to.have.length.above(2);
    expect((await save(id, { title: 'New', content }, member)).body?.data.revision).to.equal(2);
    expect((await save(id, { tags: ['new'] }, member)).body?.data.revision).to.equal(3);
    expect(await chunks()).to.deep.equal(before);
  });

  it('returns 404 for a category or an image of others, and changes nothing', async () => {
    const other = await buildMember(app.url);
    await call(app.url, 'POST /api/categories', { token: other.token, json: { categoryName: 'Theirs' } });
    const image = await buildImage(app.url, other);
    const id = await buildDraft(TEXT, member);
    await expectStatus(save(id, { title: 'T', category: 'Theirs' }, member), 404, 'CATEGORY_NOT_FOUND');
    await expectStatus(save(id, { title: 'T', imageId: image.id }, member), 404, 'IMAGE_NOT_FOUND');
    await expectStatus(save(id, { imageId: image.id, removeImage: true }, member), 400, 'VALIDATION_FAILED');
    expect(await read(id, member)).to.deep.include({ ...TEXT, revision: 1 });
  });

  it('renews no stamp of public responses', async () => {
    const stamps = () => rows('select * from journal_stamps order by kind, shard');
    const before = await stamps();
    const id = await buildDraft(TEXT, member);
    await save(id, { title: 'T' }, member);
    await call(app.url, `DELETE /api/drafts/${id}`, { token: member.token });
    expect(await stamps()).to.deep.equal(before);
  });
});

describe('Two windows with one draft', () => {
  const member = useMember(app);

  it('do not overwrite each other: one of two saves with the same If-Match is 412', async () => {
    const id = await buildDraft({}, member);
    for (let revision = 1; revision <= 5; revision++) {
      const saves = ['one', 'other'].map((title) =>
        save(id, { title: `${title} ${revision}` }, member, `W/"${revision}.x"`),
      );
      const responses = await Promise.all(saves);
      expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
      const saved = responses.find(({ status }) => status === 200)?.body?.data;
      const rejected = responses.find(({ status }) => status === 412)?.body;
      expect(rejected?.code).to.equal('PRECONDITION_FAILED');
      expect(rejected?.message).to.include(`revision is ${revision + 1}`);
      expect(await read(id, member)).to.include({ title: saved.title, revision: revision + 1 });
    }
  });

  it('get 412 for a save that waited for the save of the other, and 200 without If-Match', async () => {
    const id = await buildDraft({ content: 'One.' }, member);
    const change = { lock: `select from drafts where id = ${id} for update` };
    const overtaken = await interleave(app, {
      ...change,
      request: () => save(id, { content: 'Mine.' }, member, 'W/"1.x"'),
      change: `update drafts set content = 'Other.', revision = revision + 1 where id = ${id}`,
    });
    expect([overtaken.status, overtaken.body?.code]).to.deep.equal([412, 'PRECONDITION_FAILED']);
    expect(await read(id, member)).to.include({ content: 'Other.', revision: 2 });
    const last = await interleave(app, {
      ...change,
      request: () => save(id, { content: 'Mine.' }, member),
      change: `update drafts set title = 'T', revision = revision + 1 where id = ${id}`,
    });
    expect(last.body?.data).to.include({ title: 'T', revision: 4 });
    expect(await read(id, member)).to.include({ title: 'T', content: 'Mine.' });
  });

  it('get 200 for the same text, also if it was saved while the request waited', async () => {
    const id = await buildDraft({ content: 'One.' }, member);
    const waited = await interleave(app, {
      lock: `select from drafts where id = ${id} for update`,
      request: () => save(id, { content: 'Same.' }, member, 'W/"1.x"'),
      change: `update drafts set content = 'Same.', revision = revision + 1 where id = ${id}`,
    });
    expect([waited.status, waited.body?.data?.revision]).to.deep.equal([200, 2]);
    // A client that lost the response.
    const repeated = await save(id, { content: 'Same.' }, member, 'W/"1.x"');
    expect([repeated.status, repeated.body?.data?.revision]).to.deep.equal([200, 2]);
    // Without the content, the client may have an older one.
    await expectStatus(save(id, { title: '' }, member, 'W/"1.x"'), 412, 'PRECONDITION_FAILED');
    await expectStatus(save(id, {}, member, 'W/"1.x"'), 412, 'PRECONDITION_FAILED');
  });

  it('get 404 for a save after the deletion, also if it waited for it, and nothing is created', async () => {
    const id = await buildDraft({ content: 'One.' }, member);
    const waited = await interleave(app, {
      lock: `select from drafts where id = ${id} for update`,
      request: () => save(id, { content: 'Two.' }, member),
      change: `delete from drafts where id = ${id}`,
    });
    expect([waited.status, waited.body?.code]).to.deep.equal([404, 'DRAFT_NOT_FOUND']);
    for (const ifMatch of ['*', 'W/"1.x"'])
      await expectStatus(save(id, { content: 'Two.' }, member, ifMatch), 404, 'DRAFT_NOT_FOUND');
    expect(await rows(`select id from drafts where id = ${id}`)).to.deep.equal([]);
  });

  it('get 401 for a save that waited while the session ended', async () => {
    const other = await buildMember(app.url);
    const id = await buildDraft({ content: 'One.' }, other);
    const lock = `select from rate_limits where key like 'draft-writes:%' for update`;
    const change = `delete from sessions where member_id = ${other.id}`;
    const { status, body } = await interleave(app, {
      lock,
      change,
      request: () => save(id, { content: 'Two.' }, other),
    });
    expect([status, body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
    expect(await rows(`select content from drafts where id = ${id}`)).to.deep.equal([{ content: 'One.' }]);
  });

  it('get 404 for a category that is deleted meanwhile', async () => {
    const { body } = await call(app.url, 'POST /api/categories', {
      token: member.token,
      json: { categoryName: 'Gone' },
    });
    const id = await buildDraft({}, member);
    const { status, body: rejected } = await interleave(app, {
      lock: `select from categories where id = ${body?.data.id} for update`,
      request: () => save(id, { category: 'Gone' }, member),
      change: `delete from categories where id = ${body?.data.id}`,
    });
    expect([status, rejected?.code]).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
  });
});

describe('The earlier states of a draft', () => {
  const member = useMember(app);

  const age = (id: number) => rows(`update drafts set stored_at = stored_at - interval '10 minutes' where id = ${id}`);
  const stored = (id: number) =>
    rows<{ number: number; title: string }>(
      `select number, title from draft_revisions where draft_id = ${id} order by number`,
    );

  it('are stored when a save replaces them ten minutes after the last stored one', async () => {
    const id = await buildDraft({ title: '1' }, member);
    await save(id, { title: '2' }, member);
    expect(await stored(id)).to.deep.equal([]);
    await age(id);
    await save(id, { visibility: 'PRIVATE' }, member);
    expect(await stored(id), 'not a change of the text').to.deep.equal([]);
    await save(id, { title: '4' }, member);
    await save(id, { title: '5' }, member);
    expect(await stored(id)).to.deep.equal([{ number: 3, title: '2' }]);
  });

  it('are the newest 20, end with the draft, and count towards the bytes of the member', async () => {
    const writer = await buildMember(app.url);
    const id = await buildDraft({ title: '1', content: '가나' }, writer);
    for (let revision = 2; revision <= 25; revision++) {
      await age(id);
      await save(id, { title: String(revision) }, writer);
    }
    const found = await stored(id);
    expect(found.map(({ number }) => number)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 5));
    const counts = () => rows(`select drafts, bytes from draft_counts where member_id = ${writer.id}`);
    expect(await counts()).to.deep.equal([{ drafts: 1, bytes: 21 * 6 }]);
    await call(app.url, `DELETE /api/drafts/${id}`, { token: writer.token });
    expect([await stored(id), await counts()]).to.deep.equal([[], [{ drafts: 0, bytes: 0 }]]);
  });
});

describe('The bytes of all drafts of a member', () => {
  it('are limited, also for parallel saves: 400', async () => {
    const member = await buildMember(app.url);
    const ids = [await buildDraft({}, member), await buildDraft({}, member), await buildDraft({}, member)];
    await rows(`update draft_counts set bytes = ${MAX_DRAFT_BYTES - 250} where member_id = ${member.id}`);
    const responses = await Promise.all(ids.map((id) => save(id, { content: 'x'.repeat(100) }, member)));
    expect(responses.map(({ body }) => body?.code).sort()).to.deep.equal(['1', '1', 'DRAFT_LIMIT_REACHED']);
    const create = () => call(app.url, 'POST /api/drafts', { token: member.token, json: { content: 'x'.repeat(100) } });
    await expectStatus(create(), 400, 'DRAFT_LIMIT_REACHED');
    const saved = ids[responses.findIndex(({ status }) => status === 200)] ?? 0;
    expect((await save(saved, { content: 'x' }, member)).status).to.equal(200);
    expect((await create()).status).to.equal(201);
  });
});
