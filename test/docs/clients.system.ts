/** The programs of docs/clients.md: extracted, and run against services whose access tokens expire after seconds. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { ROOT } from '../../src/cli/generate/files.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { numberChanges } from '../support/changes.js';
import { call } from '../support/client.js';
import { writePrograms } from '../support/documents.js';
import { flat } from '../support/images.js';
import { untilRead } from '../support/live.js';
import { forge, useClock } from '../support/session.js';
import { until } from '../support/until.js';

const TOKEN_SECONDS = 60;
/** Each command of the script is a process of its own, and the second command after a refresh must start before the token expires again. */
const SCRIPT_TOKEN_SECONDS = 6;
// In the workspace of the clients, so that their packages are found.
const folder = fileURLToPath(new URL('test/clients/generated/programs/', ROOT));

/** What every program in JavaScript exports. */
interface Program {
  readProfile(): Promise<{ nickname: string; bio: string; profileImg: string | null }>;
  uploadImage(file: File): Promise<void>;
  onNotification(show: (notification: { message: string }) => void): () => void;
}

interface Fetch extends Program {
  createComment(articleId: number, content: string): Promise<{ id: number }>;
}

interface CommentPlace {
  contents: { id: number }[];
  shownId: number;
}

interface ArticlePage {
  id: string;
  likeCount: number;
  viewer: { liked: boolean };
  commentPage: { pagination: { totalElements: number } };
}

interface SiteArticle {
  id: number;
  title: string;
  contentHtml: string;
  published: Date;
}

const NAMES = ['fetch', 'openapi-fetch', 'urql', 'apollo-client', 'graphql-request'];

describe('The programs of docs/clients.md', function () {
  this.timeout(120_000);
  const app = useApp({ ACCESS_TOKEN_TTL: `${TOKEN_SECONDS}s` });
  const clock = useClock(app);
  let session: { logIn(email: string, password: string): Promise<void> };
  let member: BuiltMember;
  let commenter: BuiltMember;
  let png: Buffer;
  before(async () => {
    // The clients use the global of browsers, which Node has since version 22.
    Object.assign(globalThis, { WebSocket: globalThis.WebSocket ?? WebSocket });
    expect(await writePrograms(folder, app.url)).to.equal(NAMES.length + 10);
    session = await load('session');
    [member, commenter] = [await buildLastingMember(app.url), await buildLastingMember(app.url)];
    png = await flat(40, 30).png().toBuffer();
  });

  for (const name of NAMES) {
    it(`${name}: log in, upload, read and receive notifications, with an expired token each`, async () => {
      const program = await load<Program>(name);
      await session.logIn(member.email, member.password);
      const article = await buildArticle(app.url, {}, member);
      const before = await program.readProfile();
      expect(before.nickname).to.equal(member.nickname);
      clock.advance(TOKEN_SECONDS);
      await program.uploadImage(new File([new Uint8Array(png)], 'owl.png', { type: 'image/png' }));
      clock.advance(TOKEN_SECONDS);
      const { bio, profileImg } = await program.readProfile();
      expect(bio.toLowerCase().replace(' client.', '-client.')).to.equal(`uploaded with ${name}.`);
      expect(profileImg)
        .to.match(/\.webp$/)
        .and.not.equal(before.profileImg);
      clock.advance(TOKEN_SECONDS);
      const shown: string[] = [];
      const isOpen = untilRead();
      const stop = program.onNotification(({ message }) => shown.push(message));
      try {
        await isOpen;
        await buildComment(app.url, article.id, {}, commenter);
        await until(() => shown.length > 0);
        expect(shown[0]).to.include('commented on');
      } finally {
        stop();
      }
    });
  }

  it('fetch: one comment, although the first response is lost', async () => {
    const { createComment } = await load<Fetch>('fetch');
    await session.logIn(member.email, member.password);
    const { id } = await buildArticle(app.url, {}, member);
    const sent: (string | null)[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.headers.get('Idempotency-Key'));
      const response = await fetch(request);
      if (sent.length === 1) throw new TypeError('fetch failed');
      return response;
    };
    const created = await createComment(id, 'Written once.').finally(() => {
      globalThis.fetch = fetch;
    });
    expect(new Set(sent).size, sent.join()).to.equal(1);
    expect(sent).to.have.lengthOf(2);
    const { body } = await call(app.url, `GET /api/articles/${id}/comments`);
    expect(body?.data.contents.map((comment: { id: number }) => comment.id)).to.deep.equal([created.id]);
  });

  it('comment-link: the page that contains the comment of a notification, also where it is a reply', async () => {
    const { readPageOf } = await load<{ readPageOf(id: number): Promise<CommentPlace> }>('comment-link');
    const { id: articleId } = await buildArticle(app.url, {}, member);
    const { id } = await buildComment(app.url, articleId, {}, member);
    const reply = await buildComment(app.url, articleId, { parentCommentId: id }, commenter);
    const [first] = (await call(app.url, 'GET /api/notifications', { token: member.token })).body?.data.contents ?? [];
    expect(first.commentId).to.equal(reply.id);
    const { contents, shownId } = await readPageOf(first.commentId);
    expect([shownId, contents.map((comment) => comment.id)]).to.deep.equal([id, [id]]);
  });

  it('page, urql, apollo-client: the page of an article in one request, and a like that updates the cached page', async () => {
    const pages = await load<{
      readPage(query: string, variables: object): Promise<Record<string, { contents: { viewer: object }[] }>>;
      readArticle(slug: string): Promise<{ id: number; viewer: object; comments: object; related: object[] }>;
      LIST_PAGE: string;
    }>('page');
    const urql = await load<{ readArticlePage(slug: string): Promise<ArticlePage> }>('urql');
    const apollo = await load<{
      watchArticlePage(slug: string, show: (page: ArticlePage) => void): () => void;
      likeArticle(id: string): Promise<void>;
    }>('apollo-client');
    await session.logIn(member.email, member.password);
    const { id } = await buildArticle(app.url, { title: 'Page of owls', content: 'In the attic.' }, member);
    await buildComment(app.url, id, {}, commenter);
    const page = await urql.readArticlePage('page-of-owls');
    expect(page).to.deep.include({ id: String(id), likeCount: 0 });
    expect(page.viewer).to.include({ liked: false });
    expect(page.commentPage.pagination.totalElements).to.equal(1);
    const shown: ArticlePage[] = [];
    const stop = apollo.watchArticlePage('page-of-owls', (each) => shown.push(each));
    try {
      await until(() => shown.length > 0);
      await apollo.likeArticle(String(id));
      await until(() => shown.at(-1)?.likeCount === 1);
      expect(shown.at(-1)?.viewer).to.include({ liked: true });
    } finally {
      stop();
    }
    expect((await pages.readArticle('page-of-owls')).viewer).to.include({ liked: true });
    const { articles } = await pages.readPage(pages.LIST_PAGE, { page: 1 });
    expect(articles?.contents[0]?.viewer).to.include({ liked: true });
  });

  it('static-site: all articles, with their HTML and the time of their publication', async () => {
    const { id } = await buildArticle(app.url, { title: 'Owls', content: 'In the **attic**.' }, member);
    const { readArticles } = await load<{ readArticles(): Promise<SiteArticle[]> }>('static-site');
    await numberChanges(app.database);
    const articles = await readArticles();
    const { body } = await call(app.url, 'GET /api/articles?size=1');
    expect(articles).to.have.lengthOf(body?.data.pagination.totalElements);
    const article = articles.find((each) => each.id === id);
    expect(article).to.include({ title: 'Owls', contentHtml: '<p>In the <strong>attic</strong>.</p>\n' });
    expect(Math.abs(Date.now() - Number(article?.published))).to.be.lessThan(3_600_000 / 2);
    await call(app.url, `DELETE /api/articles/${id}`, { token: member.token });
    const added = await buildArticle(app.url, {}, member);
    await numberChanges(app.database);
    const ids = (await readArticles()).map((each) => each.id);
    expect(ids).to.have.lengthOf(articles.length).and.include(added.id).and.not.include(id);
  });
});

describe('The script of docs/clients.md', function () {
  this.timeout(60_000);
  const app = useApp({ ACCESS_TOKEN_TTL: `${SCRIPT_TOKEN_SECONDS}s` });
  const clock = useClock(app);

  it('curl: log in, upload, read and receive notifications, with an expired token', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-script-'));
    await writePrograms(folder, app.url);
    const image = join(folder, 'owl.png');
    await flat(40, 30).png().toFile(image);
    const [member, commenter] = [await buildLastingMember(app.url), await buildLastingMember(app.url)];
    const article = await buildArticle(app.url, {}, member);
    await buildComment(app.url, article.id, {}, commenter);
    const script = runScript(folder, [member.email, image], member.password);
    // That of the program is the second one of the member.
    const sessions = `select id from sessions where member_id = ${member.id}`;
    await until(async () => (await app.database.sequelize.query(sessions))[0].length > 1);
    clock.advance(SCRIPT_TOKEN_SECONDS);
    const { output, errors } = await script;
    await rm(folder, { recursive: true });
    expect(output, errors).to.match(/^.*\/images\/\w+\.webp$/m);
    expect(output, errors).to.match(/^event: notification\nid: \d+\ndata: \{.*commented on/m);
    expect(output).to.include('expired');
  });
});

/** A member whose token does not expire within the test. */
async function buildLastingMember(url: string): Promise<BuiltMember> {
  const built = await buildMember(url);
  return { ...built, token: forge(built.token, { exp: Math.floor(Date.now() / 1000) + 3600 }) };
}

function load<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(join(folder, `${name}.js`)).href);
}

function runScript(folder: string, args: string[], password: string): Promise<{ output: string; errors: string }> {
  const environment = { PATH: process.env.PATH, PAUSE: '2' };
  const child = spawn('bash', [join(folder, 'curl.sh'), ...args], { env: environment, timeout: 30_000 });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdin.end(`${password}\n`);
  return new Promise((resolve) => child.on('close', () => resolve({ output, errors })));
}
