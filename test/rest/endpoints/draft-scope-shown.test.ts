/** API tokens without the scope `articles` change no text that others see, or will see without another action of its author. */
import { expect } from 'chai';
import type { Scope } from '../../../src/models/session/api-token.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildImage, useMember } from '../../support/build.js';
import { call, graphql, type RestResponse } from '../../support/client.js';
import { advance, schedule } from '../../support/drafts.js';
import { interleave, untilWaiting } from '../../support/interleave.js';
import { runDueJobs } from '../../support/jobs.js';
import { connectAgent } from '../../support/mcp.js';
import { buildShare, codeOfShared } from '../../support/shared-texts.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

const SCHEDULED = 'The draft is scheduled for publication';
const SHARED = 'The draft has a share link';

/** What the author of a draft with a schedule or a link may change, and such a token not. */
const CHANGES: readonly object[] = [
  ...[{ title: 'Cats' }, { content: 'Three.' }, { tags: ['day'] }, { slug: 'cats' }, { description: 'Mammals' }],
  ...[{ language: 'en' }, { canonicalUrl: 'https://blog.example/' }, { publishedAt: '2020-01-01T00:00:00Z' }],
  ...[{ articleImgAlt: 'An owl' }],
];

describe('A draft that others see, or will see', () => {
  const author = useMember(app);
  let drafts: string;
  let all: string;
  let articles: string;
  let references: readonly object[];

  const tokenWith = async (...scopes: Scope[]) => (await buildApiToken(app.url, author, scopes)).token;
  const send = async (target: string, json?: object, token = author.token) => {
    const { status, body } = await call(app.url, target, { token, ...(json && { json }) });
    expect(Math.floor(status / 100), JSON.stringify(body)).to.equal(2);
    return body?.data;
  };
  const read = (id: number) => send(`GET /api/drafts/${id}`);
  const save = (id: number, json: object, token: string, headers: Record<string, string> = {}) =>
    call(app.url, `PATCH /api/drafts/${id}`, { token, json, headers });
  const build = async (json: object = {}, token = author.token): Promise<number> =>
    (await send('POST /api/drafts', { title: 'Owls', content: 'Two.', ...json }, token)).id;
  const start = async (): Promise<number> =>
    (await send(`PUT /api/articles/${(await buildArticle(app.url, {}, author)).id}/draft`)).id;
  const plan = (id: number) => schedule(app.url, { id, author });
  const share = (id: number) => buildShare(app, { kind: 'draft', id, author });
  const refused = async (response: Promise<RestResponse>, message: string, about = '') => {
    const { status, body, headers } = await response;
    expect([status, body?.code], about).to.deep.equal([403, 'SCOPE_MISSING']);
    expect(body?.message, about).to.include(message);
    expect(headers.get('WWW-Authenticate'), about).to.equal('Bearer error="insufficient_scope", scope="articles"');
  };

  before(async () => {
    drafts = await tokenWith('drafts');
    all = await tokenWith('drafts', 'read', 'comments', 'reactions', 'images', 'ai');
    articles = await tokenWith('articles');
    const { id: imageId } = await buildImage(app.url, author);
    const { id: translationOf } = await buildArticle(app.url, { language: 'ko' }, author);
    await send('POST /api/categories', { categoryName: 'Birds' });
    references = [{ imageId }, { translationOf }, { category: 'Birds' }];
  });

  const ofNew = [{ visibility: 'PUBLIC' }];
  const ofEdits = [{ visibility: 'PRIVATE' }, { removeImage: true }, { baseRevision: 7 }];
  for (const [state, create, show, message, others] of [
    ['scheduled', () => build({ visibility: 'PRIVATE' }), plan, SCHEDULED, ofNew],
    ['shared', () => build({ visibility: 'PRIVATE' }), share, SHARED, ofNew],
    ['a scheduled edit', start, plan, SCHEDULED, ofEdits],
    ['a shared edit', start, share, SHARED, ofEdits],
  ] as const)
    it(`keeps every field for tokens without articles: ${state}`, async () => {
      const id = await create();
      await show(id);
      const before = await read(id);
      for (const change of [...CHANGES, ...references, ...others]) {
        for (const token of [drafts, all]) await refused(save(id, change, token), message, JSON.stringify(change));
      }
      expect(await read(id)).to.deep.equal(before);
    });

  it('is refused over GraphQL and to agents too, before a conflict, and after 404', async () => {
    const id = await build();
    await plan(id);
    const mutation = 'mutation ($id: ID!) { updateDraft(id: $id, input: { title: "Cats" }) { id } }';
    const { errors } = await graphql(app.url, mutation, { id }, drafts);
    expect([errors?.[0]?.extensions.code, errors?.[0]?.message]).to.satisfy(([code, text]: string[]) => {
      return code === 'SCOPE_MISSING' && text?.startsWith(SCHEDULED);
    });
    const agent = await connectAgent(app.url, drafts);
    const { isError, text } = await agent.call('save_draft', { draftId: id, title: 'Cats' });
    expect([isError, text.split('\n')]).to.deep.equal([
      true,
      [
        `SCOPE_MISSING: ${SCHEDULED}: an API token without the scope articles cannot change it. Its author can change it, or remove the schedule first.`,
        'Do not try another way. Ask the user to do this themselves, or to configure an API token that has the scope for this server.',
      ],
    ]);
    await refused(save(id, { title: 'Cats' }, drafts, { 'If-Match': 'W/"99"' }), SCHEDULED);
    await refused(save(id, { title: 'Cats' }, drafts, { 'Idempotency-Key': 'a-refused-save' }), SCHEDULED);
    const { body } = await save(id, { title: 'Cats', imageId: 999_999 }, drafts);
    expect(body?.code).to.equal('IMAGE_NOT_FOUND');
    expect((await read(id)).title).to.equal('Owls');
  });

  it('does not exist for it if its article is private', async () => {
    const { id: articleId } = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    const { id } = await send(`PUT /api/articles/${articleId}/draft`);
    await plan(id);
    await share(id);
    const { status, body } = await save(id, { title: 'Cats' }, drafts);
    expect([status, body?.code]).to.deep.equal([404, 'DRAFT_NOT_FOUND']);
    await refused(save(id, { title: 'Cats' }, all), SCHEDULED);
  });

  it('is changed by its author and tokens with articles, and with drafts after its schedule and link have ended', async () => {
    const id = await build();
    const saved = async (title: string, token: string) =>
      expect((await send(`PATCH /api/drafts/${id}`, { title }, token)).title).to.equal(title);
    await plan(id);
    const { token: link } = await share(id);
    await saved('One', author.token);
    await saved('Two', articles);
    await refused(save(id, { title: 'Three' }, drafts), SCHEDULED);
    await send(`DELETE /api/drafts/${id}/schedule`);
    await refused(save(id, { title: 'Three' }, drafts), SHARED);
    await send(`DELETE /api/drafts/${id}/share`);
    await saved('Three', drafts);
    await share(id);
    await app.database.sequelize.query(`update share_links set expires_at = now() where draft_id = ${id}`);
    await saved('Four', drafts);
    expect(await codeOfShared(app, link)).to.equal('SHARE_NOT_FOUND');
  });

  it('is found unchanged by a repeated save, as the response to the first one would have shown it', async () => {
    const id = await build();
    const json = { title: 'Cats', content: 'Three.' };
    const { revision } = await send(`PATCH /api/drafts/${id}`, json, drafts);
    await plan(id);
    expect(await send(`PATCH /api/drafts/${id}`, json, drafts)).to.include({ title: 'Cats', revision });
  });

  it('is published with the text that its author scheduled, and shows that which its author shared', async () => {
    const id = await build({ title: 'A first text' }, drafts);
    await plan(id);
    const { token: link } = await share(id);
    await refused(save(id, { title: 'A later text', visibility: 'PUBLIC' }, drafts), SCHEDULED);
    expect((await call(app.url, `GET /api/shared/${link}`)).body?.data.title).to.equal('A first text');
    await advance(app, 2);
    await runDueJobs(app.services, ['publish-drafts']);
    const { body } = await call(app.url, `GET /api/articles?memberId=${author.id}&size=1`);
    expect(body?.data.contents[0].title).to.equal('A first text');
  });

  it('is not changed by a save that waits while its author schedules it', async () => {
    const id = await build();
    const lock = `select from drafts where id = ${id} for update`;
    const change = `update drafts set publish_at = now() + interval '1 hour' where id = ${id}`;
    await refused(interleave(app, { lock, request: () => save(id, { title: 'Cats' }, drafts), change }), SCHEDULED);
    expect((await read(id)).title).to.equal('Owls');
  });

  it('is not changed by a save that waits while its author shares it', async () => {
    const id = await build();
    const lock = `select from drafts where id = ${id} for key share`;
    const change = `insert into share_links (token_hash, member_id, draft_id, expires_at)
      values (sha256('${id}'), ${author.id}, ${id}, now() + interval '1 hour')`;
    await refused(interleave(app, { lock, request: () => save(id, { title: 'Cats' }, drafts), change }), SHARED);
    expect((await read(id)).title).to.equal('Owls');
  });

  it('is locked by a save of such a token, so that what schedules or shares it waits', async () => {
    const id = await build();
    let saving: Promise<RestResponse> | undefined;
    await app.database.sequelize.transaction(async (transaction) => {
      const run = (text: string) => app.database.sequelize.query(text, { transaction });
      // The save waits for the counter of bytes.
      await run(`select from draft_counts where member_id = ${author.id} for update`);
      saving = save(id, { content: 'A longer text.' }, drafts);
      await untilWaiting(app.database, 1);
      // The weakest lock of a row, which a new link takes.
      const [free] = await run(`select id from drafts where id = ${id} for key share skip locked`);
      expect(free).to.deep.equal([]);
    });
    expect((await saving)?.status).to.equal(200);
  });

  it('takes its author one statement to save, besides authentication and limits', async () => {
    const id = await build();
    const statements = async (title: string, token: string) =>
      (await statementsDuring(() => save(id, { title }, token))).filter((text) => /\bdrafts\b/.test(text));
    expect(await statements('One', author.token)).to.have.length(1);
    expect(await statements('Two', articles)).to.have.length(1);
  });
});
