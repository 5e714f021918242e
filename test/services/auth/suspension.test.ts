/** Suspended members: every operation over both APIs, the checks inside of transactions, API tokens, streams and scheduled drafts. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SCOPE_NAMES } from '../../../src/models/session/api-token.js';
import { LIVE_SESSION } from '../../../src/models/session/session.js';
import type { Database } from '../../../src/platform/database/pool.js';
import { compileApi } from '../../../src/rest/api.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { advance, buildDraft, schedule, timeIn } from '../../support/drafts.js';
import { UNREACHABLE_SMTP } from '../../support/error-cases.js';
import { flat } from '../../support/images.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { runJobs } from '../../support/jobs.js';
import { closeLiveClients } from '../../support/live.js';
import { openEvents, openSocket, openSubscription } from '../../support/live-raw.js';
import { filePart, multipart } from '../../support/multipart.js';
import { notificationsOf } from '../../support/notifications.js';
import { type ShownRequest, shownRequests } from '../../support/reference.js';
import { addShownAccount, prepareShownJournal } from '../../support/reference-journal.js';
import { RULE, STATEMENT, suspend, unsuspend } from '../../support/roles.js';
import { documentOf } from '../../support/sample-calls.js';
import { logIn } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

/** The mutations that suspended members may call. */
const PERMITTED = [
  ...['appeal', 'changeEmail', 'endOtherSessions', 'endSession', 'logout', 'updateMember', 'withdraw'],
  ...['deleteApiToken', 'deletePasskey', 'unlinkSocialAccount'],
  ...[
    'deleteArticle',
    'deleteCategory',
    'deleteComment',
    'deleteCustomStyle',
    'deleteDraft',
    'deleteImage',
    'deleteSeries',
  ],
  ...['removeBookmark', 'unblockMember', 'unfollowMember', 'unlikeArticle', 'unshareArticle', 'unshareDraft'],
];

const { schema, endpoints } = compileApi();
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
const isAnonymous = ({ extensions }: { extensions: object }) => 'ignoresToken' in extensions;

describe('A suspended member', () => {
  const app = useApp(UNREACHABLE_SMTP);
  let member: BuiltMember;
  let apiToken: string;
  before(async () => {
    member = await buildMember(app.url);
    apiToken = (await buildApiToken(app.url, member, SCOPE_NAMES, { name: 'All' })).token;
    await suspend(app, member.id);
  });

  async function isRefused({ endpoint: { method, path, body } }: (typeof endpoints)[number], token: string) {
    const target = path.replace(/\{\w+Id\}/g, '999999').replace(/\{\w+\}/g, 'x');
    const response = await call(app.url, `${method} /api${target}`, { token, ...(body !== 'none' && { json: {} }) });
    return response.body?.code === 'MEMBER_SUSPENDED';
  }

  it('may call only the listed mutations over GraphQL, and all queries', async () => {
    const refused: string[] = [];
    for (const root of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(root?.getFields() ?? {})) {
        // It would end the session.
        if (field.name === 'logout') continue;
        const { status, errors } = await graphql(app.url, documentOf(String(root), field), {}, member.token);
        const code = errors?.[0]?.extensions.code;
        expect(code, field.name).to.not.equal('BAD_REQUEST');
        if (code !== 'MEMBER_SUSPENDED') continue;
        expect([status, errors?.[0]?.message], field.name).to.deep.equal([
          403,
          `Your account is suspended until 2099-12-31T00:00:00 (UTC). Reason: ${STATEMENT} Rule: ${RULE}`,
        ]);
        refused.push(field.name);
      }
    }
    const expected = mutations.filter((field) => !isAnonymous(field) && !PERMITTED.includes(field.name));
    expect(refused.sort()).to.deep.equal(expected.map(({ name }) => name).sort());
  }).timeout(60_000);

  it('may call the same operations over REST', async () => {
    const refused: string[] = [];
    const expected: string[] = [];
    for (const compiled of endpoints) {
      const { endpoint, operation, isForSuspended } = compiled;
      const [root] = operation.selectionSet.selections;
      const name = root?.kind === 'Field' ? root.name.value : '';
      if (name === 'logout' || endpoint.result.kind === 'stream') continue;
      if (await isRefused(compiled, member.token)) refused.push(name);
      const mutation = operation.operation === 'mutation' && mutations.find((field) => field.name === name);
      if (mutation && !isAnonymous(mutation) && !PERMITTED.includes(name)) expected.push(name);
      expect(isForSuspended, name).to.equal(!expected.includes(name));
    }
    expect(refused).to.deep.equal(expected);
    expect(refused).to.have.length.above(25);
  }).timeout(60_000);

  it('cannot use an API token, not even for public reads', async () => {
    for (const compiled of endpoints) {
      const { endpoint, ignoresToken } = compiled;
      expect(await isRefused(compiled, apiToken), endpoint.path).to.equal(!ignoresToken);
    }
    for (const root of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(root?.getFields() ?? {})) {
        const { status, errors } = await graphql(app.url, documentOf(String(root), field), {}, apiToken);
        const isSuspended = errors?.[0]?.extensions.code === 'MEMBER_SUSPENDED';
        expect(isSuspended, field.name).to.equal(!isAnonymous(field));
        if (isSuspended) expect(status).to.equal(403);
      }
    }
    const headers = { Authorization: `Bearer ${apiToken}` };
    expect((await fetch(`${app.url}/feed.json`, { headers })).status).to.equal(403);
  }).timeout(60_000);

  it('is refused as a whole if one of several mutations is not permitted', async () => {
    const query = 'mutation { deleteComment(id: 1) { id } createCategory(name: "Shelf") { id } }';
    const { status, data } = await graphql(app.url, query, {}, member.token);
    expect([status, data ?? null]).to.deep.equal([403, null]);
    expect(await rowsOf(app.database, `select from categories where name = 'Shelf'`)).to.have.length(0);
  });

  it('cannot upload an image over either API', async () => {
    const sent = multipart([filePart(await flat(8, 8).png().toBuffer())]);
    await expectStatus(call(app.url, 'POST /api/images', { token: member.token, ...sent }), 403, 'MEMBER_SUSPENDED');
    const operations = JSON.stringify({ query: 'mutation ($file: Upload!) { uploadImage(file: $file) { id } }' });
    const form = new FormData();
    form.set('operations', operations.replace(/\}$/, ', "variables": {"file": null}}'));
    form.set('map', '{"0": ["variables.file"]}');
    form.set('0', new Blob([await flat(8, 8).png().toBuffer()]), 'image.png');
    const headers = { Authorization: `Bearer ${member.token}` };
    const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body: form });
    expect(await response.text()).to.include('MEMBER_SUSPENDED');
  });
});

describe('A suspension', () => {
  const app = useApp(UNREACHABLE_SMTP);
  afterEach(closeLiveClients);

  const comment = async ({ token }: BuiltMember, options: { headers?: Record<string, string> } = {}) =>
    (await call(app.url, 'POST /api/articles/1/comments', { token, json: { content: 'Again' }, ...options })).body
      ?.code;

  before(() => buildArticle(app.url));

  it('is shown to the member with its reason and end, over both APIs', async () => {
    const member = await buildMember(app.url);
    await suspend(app, member.id, '2099-12-31T09:30:00Z');
    const expected = { until: '2099-12-31T09:30:00', rule: RULE, statement: STATEMENT };
    const rest = await call(app.url, 'GET /api/members/me', { token: member.token });
    expect(rest.body?.data.suspension).to.deep.include(expected);
    const { data } = await graphql(app.url, '{ me { suspension { since until rule statement } } }', {}, member.token);
    expect(data.me.suspension).to.deep.include({ ...expected, until: '2099-12-31T09:30:00Z' });
    expect(Date.parse(data.me.suspension.since)).to.be.closeTo(app.database.now(), 60_000);
    await suspend(app, member.id, null);
    const { body } = await call(app.url, 'POST /api/categories', { token: member.token, json: { categoryName: 'A' } });
    expect(body?.message).to.equal(`Your account is suspended without an end. Reason: ${STATEMENT} Rule: ${RULE}`);
  });

  it('leaves the login, a new password, another address, deletions, the archive and the withdrawal', async () => {
    const member = await buildMember(app.url);
    const article = await buildArticle(app.url, {}, member);
    const own = await buildComment(app.url, article.id, {}, member);
    await suspend(app, member.id);
    const { accessToken: token } = await logIn(app.url, member);
    const json = { email: `new-${member.email}`, password: member.password };
    await expectStatus(call(app.url, 'PUT /api/members/me/email', { token, json }), 202, '1');
    await expectStatus(call(app.url, `DELETE /api/comments/${own.id}`, { token }), 200, '1');
    await expectStatus(call(app.url, `DELETE /api/articles/${article.id}`, { token }), 200, '1');
    expect((await call(app.url, 'GET /api/members/me/archive', { token })).status).to.equal(200);
    const change = { password: 'a quieter harbor', currentPassword: member.password };
    const refused = { ...change, bio: 'Buy this' };
    await expectStatus(call(app.url, 'PATCH /api/members/me', { token, json: refused }), 403, 'MEMBER_SUSPENDED');
    expect((await call(app.url, 'PATCH /api/members/me', { token, json: change })).status).to.equal(204);
    await expectStatus(call(app.url, 'DELETE /api/members/me/sessions', { token }), 200, '1');
    const password = change.password;
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token, json: { password } }), 200, '1');
  });

  it('leaves everything that the member has written', async () => {
    const { id, author } = await buildArticle(app.url);
    await suspend(app, author.id);
    expect((await call(app.url, `GET /api/articles/${id}`)).status).to.equal(200);
    expect((await call(app.url, `GET /api/members/${author.id}`)).status).to.equal(200);
  });

  it('ends by itself, and by a command', async () => {
    const member = await buildMember(app.url);
    const { token: apiToken } = await buildApiToken(app.url, member);
    await suspend(app, member.id);
    expect(await comment(member)).to.equal('MEMBER_SUSPENDED');
    await app.database.sequelize.query(`update members set suspended_until = now() where id = ${member.id}`);
    expect(await comment(member)).to.equal('1');
    expect((await call(app.url, 'GET /api/members/me', { token: apiToken })).body?.data.suspension).to.equal(null);
    await suspend(app, member.id, null);
    expect(await comment(member)).to.equal('MEMBER_SUSPENDED');
    expect([await unsuspend(app, member.id), await unsuspend(app, member.id)]).to.deep.equal([true, false]);
    expect(await comment(member)).to.equal('1');
    const { body } = await call(app.url, 'GET /api/members/me/security-events', { token: member.token });
    const kinds = body?.data.contents.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 3)).to.deep.equal(['MEMBER_UNSUSPENDED', 'MEMBER_SUSPENDED', 'MEMBER_SUSPENDED']);
  });

  it('also refuses the retry of a request whose response is stored', async () => {
    const member = await buildMember(app.url);
    const headers = { 'Idempotency-Key': randomUUID() };
    expect(await comment(member, { headers })).to.equal('1');
    await suspend(app, member.id);
    expect(await comment(member, { headers })).to.equal('MEMBER_SUSPENDED');
  });

  it('ends the streams of API tokens, and keeps those of sessions', async () => {
    const member = await buildMember(app.url);
    const { token } = await buildApiToken(app.url, member, ['notifications']);
    const [events, socket] = [await openEvents(app.url, token), await openSubscription(app.url, token)];
    const own = [await openEvents(app.url, member.token), await openSubscription(app.url, member.token)];
    await suspend(app, member.id);
    await until(() => events() !== undefined && socket() !== undefined);
    expect(socket()).to.equal('4403 MEMBER_SUSPENDED');
    expect(own.map((reason) => reason())).to.deep.equal([undefined, undefined]);
    await expectStatus(call(app.url, 'GET /api/notifications/stream', { token }), 403, 'MEMBER_SUSPENDED');
    const again = await openSocket(app.url);
    again.socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    expect(await again.closed).to.equal('4403 MEMBER_SUSPENDED');
  });

  it('prevents the publication of scheduled drafts, also if it begins while the job waits', async () => {
    const [first, second] = [await buildDraft(app.url), await buildDraft(app.url)];
    for (const draft of [first, second]) await schedule(app.url, draft);
    await advance(app, 2);
    await suspend(app, first.author.id);
    await interleave(app, {
      lock: `select from members where id = ${second.author.id} for update`,
      request: () => runJobs(app),
      change: `update members set suspended_since = now(), suspended_until = 'infinity', suspension_rule = 'A rule',
        suspension_statement = 'A reason' where id = ${second.author.id}`,
    });
    for (const { id, author } of [first, second]) {
      const { token } = author;
      const { body } = await call(app.url, `GET /api/drafts/${id}`, { token });
      expect(body?.data).to.deep.include({ publishAt: null, publicationError: 'MEMBER_SUSPENDED' });
      const [notified] = await notificationsOf(app.url, author);
      expect(notified).to.deep.include({ type: 'PUBLICATION', draftId: id });
    }
  });

  it('is checked by statements that a comment needs without it', async () => {
    const member = await buildMember(app.url);
    const statements = await statementsDuring(() => comment(member).then(() => {}));
    const checks = statements.filter((text) => text.includes('suspen'));
    expect(checks).to.have.length(2);
    expect(checks[0]).to.include('from sessions');
    expect(checks[1]).to.include('from all_articles');
  });
});

const WITHDRAWAL = 'DELETE /api/members/me';

/** Changes that are not refused by their transaction, with the reason. */
const WITHOUT_TRANSACTION: Readonly<Record<string, string>> = {
  'POST /api/articles/transform-style': 'It changes nothing: the check of the token is the only one.',
  'POST /api/external/gemini': 'as above',
  'POST /api/articles/{articleId}/summary': 'It has no effect while a summary is pending.',
  'POST /api/members/me/passkeys': 'The example has another challenge; `lockAccount` is that of a new API token.',
  'POST /api/members/me/social-accounts': 'It needs a provider; `lockAccount` is that of a new API token.',
};

describe('A member who is suspended after the check of the token', () => {
  const app = useApp(UNREACHABLE_SMTP);
  const permitted = new Set(
    endpoints.filter(({ isForSuspended }) => isForSuspended).map(({ endpoint: e }) => `${e.method} /api${e.path}`),
  );
  let mina: BuiltMember;
  let shown: ShownRequest[];
  let isInterleaved = false;
  before(async () => {
    mina = await prepareShownJournal(app.url);
    await addShownAccount(app, mina.id);
    const document = await (await fetch(`${app.url}/openapi.json`)).json();
    const changes = shownRequests(document).filter(({ operation }) => !operation.startsWith('GET '));
    // Those that are refused change nothing; the last one deletes the account.
    const rank = ({ operation }: ShownRequest) => Number(permitted.has(operation)) + Number(operation === WITHDRAWAL);
    shown = changes.toSorted((a, b) => rank(a) - rank(b));
    const { database } = app.services;
    const forClient: Database['forClient'] = (client) => {
      const base = database.forClient(client);
      const query: Database['query'] = async (statement, values) => {
        const rows = await base.query(statement, values);
        if (isInterleaved && statement.name === LIVE_SESSION.name) await suspend(app, mina.id);
        return rows;
      };
      return { ...base, query };
    };
    Object.assign(app.services, { database: { ...database, forClient } });
  });

  it('makes no change that is not permitted, and each that is', async () => {
    const counted = { permitted: 0, refused: 0 };
    for (const { operation, isPublic, toSend, fields } of shown) {
      if (isPublic || operation in WITHOUT_TRANSACTION) continue;
      await unsuspend(app, mina.id);
      const { accessToken: token } = await logIn(app.url, mina);
      const times = Object.keys(fields ?? {}).filter((name) => ['publishAt', 'expiresAt'].includes(name));
      const own = Object.fromEntries(times.map((name) => [name, timeIn(86_400)]));
      const { target, options } = await toSend({ ...fields, ...own });
      isInterleaved = true;
      const { body } = await call(app.url, target, { ...options, token });
      isInterleaved = false;
      const isRefused = body?.code === 'MEMBER_SUSPENDED';
      // The example of an update of the profile has more than a password.
      const isPermitted = permitted.has(operation) && operation !== 'PATCH /api/members/me';
      expect(isRefused, `${operation}: ${JSON.stringify(body)}`).to.equal(!isPermitted);
      if (isRefused) expect(body?.message).to.include(STATEMENT);
      counted[isRefused ? 'refused' : 'permitted']++;
    }
    expect(counted.refused).to.be.above(25);
    expect(counted.permitted).to.be.above(15);
  }).timeout(60_000);
});
