/** The job that makes the smaller sizes of article images from before they existed. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { flat } from '../support/images.js';
import { addJobs, runJobs } from '../support/jobs.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';

const app = useApp();

describe('The sizes of images from before they existed', () => {
  it('are made for each article, and the image and its address stay', async () => {
    const { token } = await buildMember(app.url);
    const file = filePart(await flat(800, 10).png().toBuffer());
    const build = async () =>
      (
        await call(app.url, 'POST /api/articles', {
          token,
          ...multipart([requestPart({ title: 't', content: 'c' }), file]),
        })
      ).body?.data;
    const [old, lost] = [await build(), await build()];
    await app.database.sequelize.query('update articles set image_width = null, image_height = null');
    const folder = join(app.dataDir, 'images');
    const name = (articleImg: string) => articleImg.slice(-37);
    for (const file of await readdir(folder))
      if (file.includes('-') || file === name(lost.articleImg)) await rm(join(folder, file));
    const read = async (id: number) => (await call(app.url, `GET /api/articles/${id}`)).body?.data;
    const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
    const before = await bytesOf(old.articleImg);
    expect((await read(old.id)).articleImgSizes).to.deep.equal([]);
    await addJobs(app.database, 'fill-image-sizes', [{}]);
    await runJobs(app);
    const after = await read(old.id);
    expect(after).to.deep.include({ articleImg: old.articleImg, articleImgSizes: old.articleImgSizes });
    expect(after.articleImgSizes).to.have.length(2);
    for (const { url } of after.articleImgSizes)
      expect((await bytesOf(url)).subarray(8, 12).toString()).to.equal('WEBP');
    expect((await bytesOf(old.articleImg)).equals(before)).to.equal(true);
    expect((await read(lost.id)).articleImgSizes).to.deep.equal([]);
  });

  it('have their heights, and profile images their square sizes', async () => {
    const { id: memberId, token } = await buildMember(app.url);
    const profile = filePart(await flat(200, 130).png().toBuffer());
    await call(app.url, 'PATCH /api/members/me', { token, ...multipart([profile]) });
    const article = multipart([
      requestPart({ title: 't', content: 'c' }),
      filePart(await flat(80, 10).png().toBuffer()),
    ]);
    const { body } = await call(app.url, 'POST /api/articles', { token, ...article });
    const id = body?.data.id;
    const read = async (path: string) => (await call(app.url, `GET /api/${path}`)).body?.data;
    const { profileImgSizes } = await read(`members/${memberId}`);
    expect(profileImgSizes.map(({ width }: { width: number }) => width)).to.deep.equal([64, 128]);
    const folder = join(app.dataDir, 'images');
    for (const { url } of profileImgSizes) await rm(join(folder, url.split('/').at(-1)));
    await app.database.sequelize.query('update members set profile_image_side = null');
    await app.database.sequelize.query('update articles set image_height = null');
    expect((await read(`members/${memberId}`)).profileImgSizes).to.deep.equal([]);
    expect((await read(`articles/${id}`)).articleImgHeight).to.equal(null);
    await addJobs(app.database, 'fill-image-sizes', [{}]);
    await runJobs(app);
    expect((await read(`members/${memberId}`)).profileImgSizes).to.deep.equal(profileImgSizes);
    for (const { url } of profileImgSizes) expect((await fetch(url)).status).to.equal(200);
    expect(await read(`articles/${id}`)).to.include({ articleImgWidth: 80, articleImgHeight: 10 });
  });
});
