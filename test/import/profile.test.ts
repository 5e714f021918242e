/** Profiles of members that an import restores from an export of this service. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type LoadOptions, loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import type { SourceMember, SourceProfile } from '../../src/import/source.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { flat } from '../support/images.js';
import { sourceOf } from '../support/import-source.js';
import { rowsOf } from '../support/imported.js';

const app = useApp();
const SINCE = new Date('2019-08-07T06:05:04.321Z');

async function minaWith(profile: Partial<SourceProfile> = {}): Promise<SourceMember> {
  const picture = await flat(20, 10).png().toBuffer();
  const image = { reference: 'images/a.webp', alt: null, isStored: true, open: async () => Readable.from([picture]) };
  const person = { key: 'mina', name: 'mina', email: null };
  return { kind: 'member', person, profile: { bio: 'Keeps a light.', image, createdAt: SINCE, ...profile } };
}

async function importMember(member: SourceMember, options: LoadOptions = {}): Promise<Report> {
  const report = new Report();
  const openPictures = async () => ({ images: app.services.images, publicUrl: app.url });
  await loadSource(app.database, sourceOf([member]), report, { openPictures, downloads: false, ...options });
  return report;
}

const profile = async () => (await call(app.url, 'GET /api/members/by-nickname/mina')).body?.data;
const change = (sql: string) => app.database.sequelize.query(`update members set ${sql} where nickname = 'mina'`);

describe('A profile that an import restores', () => {
  beforeEach(testDatabase);

  it('has its text, its image and its time on both APIs, and no login', async () => {
    const { added, pictures } = await importMember(await minaWith());
    expect([added.members, pictures.added]).to.deep.equal([1, 1]);
    const { id, profileImg, ...shown } = await profile();
    expect(shown).to.include({ nickname: 'mina', bio: 'Keeps a light.', articleCount: 0, followerCount: 0 });
    expect((await fetch(profileImg)).status).to.equal(200);
    const { data } = await graphql(app.url, '{ memberByNickname(nickname: "mina") { id bio profileImg } }');
    expect(data.memberByNickname).to.deep.equal({ id: String(id), bio: 'Keeps a light.', profileImg });
    expect(
      await rowsOf(app.database, 'select created_at as since, email, password_hash as password from members'),
    ).to.deep.equal([{ since: SINCE, email: null, password: null }]);
    expect(await rowsOf(app.database, 'select name from categories where is_default')).to.have.length(1);
  });

  it('is not changed by a repeated import, whatever the member has changed or removed', async () => {
    await importMember(await minaWith());
    await change(`bio = 'Reads.', profile_image = null`);
    const { added, pictures } = await importMember(await minaWith({ bio: 'Newer.' }));
    expect([added.members, pictures.added, pictures.existing]).to.deep.equal([0, 0, 1]);
    expect(await profile()).to.include({ bio: 'Reads.', profileImg: null });
    expect(await rowsOf(app.database, 'select from members')).to.have.length(1);
  });

  it('gets its image when an import is repeated that was interrupted before, unless the member has one', async () => {
    for (const own of [null, 'c'.repeat(32)]) {
      await testDatabase();
      const unreachable = async () => Promise.reject(new Error('the store cannot be reached'));
      const failure = await importMember(await minaWith(), { openPictures: unreachable }).catch((error) => error);
      expect(failure.message).to.equal('the store cannot be reached');
      expect(await profile()).to.include({ bio: 'Keeps a light.', profileImg: null });
      if (own) await change(`profile_image = '${own}'`);
      await importMember(await minaWith());
      const { profileImg } = await profile();
      expect(profileImg).to.match(own ? new RegExp(`/${own}\\.webp$`) : /\/[0-9a-f]{32}\.webp$/);
      expect(profileImg.includes('cccc')).to.equal(own !== null);
    }
  });

  it('is cut where it is too long, without an unusable time, and never that of a member with the same name', async () => {
    const member = await buildMember(app.url, { nickname: 'mina' });
    const report = await importMember(
      await minaWith({ bio: 'b'.repeat(201), createdAt: new Date(-8e15), image: null }),
    );
    expect(report.added.members).to.equal(1);
    expect(await profile()).to.include({ id: member.id, profileImg: null });
    const { body } = await call(app.url, 'GET /api/members/by-nickname/mina2');
    expect(body?.data.bio).to.equal(`${'b'.repeat(199)}…`);
    expect(await rowsOf(app.database, "select from members where created_at < now() - interval '1 day'")).to.deep.equal(
      [],
    );
  });
});
