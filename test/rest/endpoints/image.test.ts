/** Images for the content of articles: upload, list, deletion, limits, and their references. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from '../../../src/cli/generate/files.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildImage, buildMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql, type RestResponse } from '../../support/client.js';
import { flat, frames, noise } from '../../support/images.js';
import { rowsOf } from '../../support/imported.js';
import { runJobs } from '../../support/jobs.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { type S3Server, startS3 } from '../../support/s3.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp({ RESPONSE_CACHE_MB: '0', IMAGES_PER_MEMBER: '5', IMAGE_MB_PER_MEMBER: '1' });

let png: Buffer;
before(async () => {
  png = await flat(700, 350).png().toBuffer();
});

function upload({ token }: BuiltMember, bytes: Uint8Array = png): Promise<RestResponse> {
  return call(app.url, 'POST /api/images', { token, ...multipart([filePart(bytes)]) });
}

async function uploaded(member: BuiltMember): Promise<{ id: number; url: string }> {
  const { body } = await expectStatus(upload(member), 201, '1');
  return body?.data as { id: number; url: string };
}

const remove = (id: number, { token }: BuiltMember) => call(app.url, `DELETE /api/images/${id}`, { token });
const files = async () => (await readdir(join(app.dataDir, 'images')).catch(() => [])).sort();
const edit = (id: number, { token }: BuiltMember, content: string) =>
  expectStatus(call(app.url, `PUT /api/articles/${id}`, { token, json: { title: 't', content } }), 200, '1');

async function unreferencedSince(id: number): Promise<Date | null> {
  const [row] = await rowsOf<{ since: Date | null }>(
    app.database,
    `select unreferenced_at as since from images where id = ${id}`,
  );
  return row?.since ?? null;
}

describe('POST /api/images', () => {
  it('returns 201 with the image, and serves it in each of its sizes', async () => {
    const { body } = await expectStatus(upload(await buildMember(app.url)), 201, '1');
    const { id, createdAt, ...image } = body?.data ?? {};
    const stem = image.url.replace(/\.webp$/, '');
    expect(image).to.deep.equal({
      url: `${stem}.webp`,
      width: 700,
      height: 350,
      type: 'image/webp',
      sizes: [
        { url: `${stem}-320.webp`, width: 320 },
        { url: `${stem}-640.webp`, width: 640 },
      ],
    });
    expect(id).to.be.a('number');
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    for (const { url } of [image, ...image.sizes]) {
      const response = await fetch(url);
      expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([200, 'image/webp']);
      await response.arrayBuffer();
    }
  });

  it('returns 400 for what is not an image, and for a request without one', async () => {
    const member = await buildMember(app.url);
    await expectStatus(upload(member, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 400, 'IMAGE_INVALID');
    const other = { token: member.token, ...multipart([requestPart({})]) };
    const response = await expectStatus(call(app.url, 'POST /api/images', other), 400, 'VALIDATION_FAILED');
    expect(fieldErrors(response)).to.deep.equal(['file: is required']);
    const named = { token: member.token, ...multipart([requestPart({ width: 1 }), filePart(png)]) };
    await expectStatus(call(app.url, 'POST /api/images', named), 400, 'VALIDATION_FAILED');
  });

  it('returns 415 for JSON, and 401 without a token', async () => {
    const { token } = await buildMember(app.url);
    await expectStatus(call(app.url, 'POST /api/images', { token, json: {} }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectStatus(call(app.url, 'POST /api/images', multipart([filePart(png)])), 401, 'UNAUTHENTICATED');
  });

  it('returns 400 IMAGE_LIMIT_REACHED above the maximum number, also for uploads at the same time', async () => {
    const member = await buildMember(app.url);
    const responses = await Promise.all(Array.from({ length: 8 }, () => upload(member)));
    const codes = responses.map(({ body }) => body?.code).sort();
    expect(codes).to.deep.equal([...Array(5).fill('1'), ...Array(3).fill('IMAGE_LIMIT_REACHED')]);
    expect((await upload(member)).body?.message).to.equal('You have 5 images, the maximum: delete some first.');
  });

  it('returns 400 IMAGE_LIMIT_REACHED above the maximum size, and leaves no files behind', async () => {
    const member = await buildMember(app.url);
    const large = await noise(1200, 1200).jpeg().toBuffer();
    await expectStatus(upload(member, large), 201, '1');
    await runJobs(app);
    const before = await files();
    const { body } = await expectStatus(upload(member, large), 400, 'IMAGE_LIMIT_REACHED');
    expect(body?.message).to.match(/^Your images use 0 MiB: .* maximum of 1 MiB\. Delete some first\.$/);
    await runJobs(app);
    expect(await files()).to.deep.equal(before);
  });
});

describe('GraphQL uploadImage', () => {
  it('takes a multipart request, and keeps the animation in all sizes', async () => {
    const { token } = await buildMember(app.url);
    const form = new FormData();
    const query = 'mutation ($file: Upload!) { uploadImage(file: $file) { id url width type sizes { url width } } }';
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', '{"0":["variables.file"]}');
    form.set('0', new Blob([new Uint8Array(await frames(3, 400).gif().toBuffer())]));
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body: form });
    const { data } = (await response.json()) as {
      data: { uploadImage: { id: string; width: number; sizes: { url: string; width: number }[] } };
    };
    expect(data.uploadImage).to.include({ width: 400, type: 'image/webp' });
    const bytes = Buffer.from(await (await fetch(data.uploadImage.sizes[0]?.url ?? '')).arrayBuffer());
    expect(bytes.toString('latin1')).to.include('ANMF');
    const deletion = 'mutation ($id: ID!) { deleteImage(id: $id) { id } }';
    const deleted = await graphql(app.url, deletion, { id: data.uploadImage.id }, token);
    expect(deleted.data.deleteImage).to.deep.equal({ id: data.uploadImage.id });
  });
});

describe('GET /api/images', () => {
  it('returns the own images, newest first, in one statement', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const ids = [(await uploaded(member)).id, (await uploaded(member)).id, (await uploaded(member)).id];
    await uploaded(other);
    const list = (page: number) =>
      call(app.url, `GET /api/images?page=${page}&size=2`, { token: member.token }).then(({ body }) => body?.data);
    await list(1);
    const statements = await statementsDuring(async () => {
      const { contents, pagination } = await list(1);
      expect(contents.map(({ id }: { id: number }) => id)).to.deep.equal([ids[2], ids[1]]);
      expect(pagination).to.include({ totalElements: 3, totalPages: 2, last: false });
    });
    expect(statements.filter((text) => text.includes('images'))).to.have.length(1);
    expect((await list(2)).contents.map(({ id }: { id: number }) => id)).to.deep.equal([ids[0]]);
    const past = await list(3);
    expect([past.contents, past.pagination.totalElements]).to.deep.equal([[], 3]);
    const { data } = await graphql(app.url, '{ myImages { contents { id } } }', {}, other.token);
    expect(data.myImages.contents).to.have.length(1);
  });
});

describe('DELETE /api/images/{imageId}', () => {
  it('returns 200, and removes the files after the commit', async () => {
    const member = await buildMember(app.url);
    const { id, url } = await uploaded(member);
    await expectStatus(remove(id, member), 200, '1');
    expect((await fetch(url)).status).to.equal(200);
    await runJobs(app);
    const key = url.slice(-37, -5);
    expect((await files()).filter((name) => name.startsWith(key))).to.deep.equal([]);
    await expectStatus(remove(id, member), 404, 'IMAGE_NOT_FOUND');
  });

  it('returns 404 for the image of another member', async () => {
    const { id } = await uploaded(await buildMember(app.url));
    await expectStatus(remove(id, await buildMember(app.url)), 404, 'IMAGE_NOT_FOUND');
    expect(await unreferencedSince(id)).to.be.instanceOf(Date);
  });

  it('returns 409 while an own article refers to it, on whatever host and in whatever size', async () => {
    const member = await buildMember(app.url);
    const { id, url } = await uploaded(member);
    const moved = url.replace(/^.*\/images\/(\w+)\.webp$/, 'https://old.example/images/$1-320.webp');
    const article = await buildArticle(app.url, { content: `![](${moved})` }, member);
    const { body } = await expectStatus(remove(id, member), 409, 'IMAGE_IN_USE');
    expect(body?.message).to.include(`article ${article.id} `);
    await setPrivate(app.url, article);
    const own = await expectStatus(remove(id, member), 409, 'IMAGE_IN_USE');
    expect(own.body?.message).to.include(`article ${article.id} `);
    const { token } = await buildApiToken(app.url, member, ['images']);
    const other = await expectStatus(call(app.url, `DELETE /api/images/${id}`, { token }), 409, 'IMAGE_IN_USE');
    expect(other.body?.message, 'to a token that does not see the article').to.match(/^One of your articles /);
    await edit(article.id, member, 'without it');
    await expectStatus(remove(id, member), 200, '1');
  });

  it('returns 200 while only articles of others refer to it', async () => {
    const member = await buildMember(app.url);
    const { id, url } = await uploaded(member);
    const article = await buildArticle(app.url, { content: `![](${url})` });
    const read = () => call(app.url, `GET /api/articles/${article.id}/rendered`);
    const before = await read();
    expect(before.body?.data.contentHtml).to.include('srcset');
    await expectStatus(remove(id, member), 200, '1');
    const after = await read();
    expect(after.body?.data.contentHtml).to.not.include('srcset');
    expect(after.headers.get('ETag')).to.not.equal(before.headers.get('ETag'));
  });
});

describe('The references to an image', () => {
  it('follow the content of articles and of their revisions', async () => {
    const member = await buildMember(app.url);
    const { id, url } = await uploaded(member);
    expect(await unreferencedSince(id)).to.be.instanceOf(Date);
    const first = await buildArticle(app.url, { content: `![](${url})` }, member);
    const second = await buildArticle(app.url, { content: `<img src="${url}">` }, member);
    expect(await unreferencedSince(id)).to.equal(null);
    await edit(first.id, member, 'none');
    expect(await unreferencedSince(id)).to.equal(null);
    await call(app.url, `DELETE /api/articles/${second.id}`, { token: member.token });
    expect(await unreferencedSince(id)).to.equal(null);
    await app.database.sequelize.query(`delete from article_revisions where article_id = ${first.id}`);
    expect(await unreferencedSince(id)).to.be.instanceOf(Date);
    await edit(first.id, member, `again ${url}`);
    expect(await unreferencedSince(id)).to.equal(null);
  });

  it('are none when the last two are removed at the same time', async () => {
    const member = await buildMember(app.url);
    const { id, url } = await uploaded(member);
    for (let round = 0; round < 5; round++) {
      const articles = await Promise.all(
        [1, 2, 3, 4].map(() => buildArticle(app.url, { content: `![](${url})` }, member)),
      );
      expect(await unreferencedSince(id)).to.equal(null);
      await Promise.all(articles.slice(2).map((article) => edit(article.id, member, 'none')));
      expect(await unreferencedSince(id)).to.equal(null);
      await Promise.all(articles.map((article) => call(app.url, `DELETE /api/articles/${article.id}`, member)));
      expect(await unreferencedSince(id)).to.be.instanceOf(Date);
    }
  });

  it('cost no statement when articles are written', async () => {
    const member = await buildMember(app.url);
    const { url } = await uploaded(member);
    await buildArticle(app.url, { content: 'warm' }, member);
    const count = async (content: string) =>
      (await statementsDuring(() => buildArticle(app.url, { content }, member))).length;
    expect(await count(`![](${url})`)).to.equal(await count('![](https://elsewhere.example/a.png)'));
  });
});

describe('Images in an S3 bucket', () => {
  const environment: NodeJS.ProcessEnv = {};
  let s3: S3Server;
  before(async () => {
    s3 = await startS3();
    Object.assign(environment, s3.environment, { STORAGE: 's3', S3_BUCKET: 'journal' });
    const script = fileURLToPath(new URL('deploy/create-bucket.js', ROOT));
    await promisify(execFile)(process.execPath, [script], { env: { PATH: process.env.PATH, ...environment } });
  });
  after(() => s3.stop());
  const inBucket = useApp(environment);

  it('are served in each size, and removed with all sizes', async () => {
    const member = await buildMember(inBucket.url);
    const { id, url } = await buildImage(inBucket.url, member, 700, 10);
    const statuses = () =>
      Promise.all(['', '-320', '-640'].map(async (size) => (await fetch(url.replace('.webp', `${size}.webp`))).status));
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    const { status } = await call(inBucket.url, `DELETE /api/images/${id}`, { token: member.token });
    await runJobs(inBucket);
    expect([status, ...(await statuses())]).to.deep.equal([200, 404, 404, 404]);
  });
});
