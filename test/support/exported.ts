/** A small journal with rows in every table, and readers of its export. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { buildApiToken } from './api-tokens.js';
import type { TestApp } from './app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from './build.js';
import { runDaybook } from './cli.js';
import { call } from './client.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';

/** Runs `export` on the database and the images of an application. */
export function runExport(app: TestApp, ...args: string[]) {
  const { TEST_DATABASE_URL: DATABASE_URL = '' } = process.env;
  return runDaybook(['export', ...args], { DATABASE_URL, DATA_DIR: app.dataDir, PUBLIC_URL: 'https://journal.test' });
}

export interface BuiltJournal {
  mina: BuiltMember;
  theo: BuiltMember;
  article: BuiltArticle;
}

export const PRIVATE = {
  name: 'Privately Named',
  device: 'a telephone with a cracked screen',
  style: 'like a lighthouse keeper',
  revision: 'Nobody sees the lamp.',
  draft: 'The lamp will be replaced.',
  draftRevision: 'The lamp may be replaced.',
};

/** Mina has an article, a profile image and every kind of private data; Theo commented and she replied. */
export async function buildJournal({ url, database }: TestApp): Promise<BuiltJournal> {
  const mina = await buildMember(url, { email: 'mina@private.test', memberName: PRIVATE.name, nickname: 'mina' });
  const theo = await buildMember(url, { email: 'theo@private.test', nickname: 'theo' });
  const { token } = mina;
  const { email, password } = mina;
  await call(url, 'POST /api/auth/login', { json: { email, password }, headers: { 'User-Agent': PRIVATE.device } });
  await call(url, 'POST /api/categories', { token, json: { categoryName: 'Sea' } });
  const image = await flat(20, 10).png().toBuffer();
  const bio = requestPart({ bio: 'Keeps a light.' });
  await call(url, 'PATCH /api/members/me', { token, ...multipart([bio, filePart(image)]) });
  const article = await buildArticle(
    url,
    { title: '등대', content: '빛.', category: 'Sea', tags: ['빛', 'sea'] },
    mina,
  );
  const { id } = article;
  const json = { title: '등대', content: '빛.' };
  await call(url, `PUT /api/articles/${id}`, { token, json: { ...json, content: PRIVATE.revision } });
  await call(url, `PUT /api/articles/${id}`, { token, json });
  const draft = await call(url, 'POST /api/drafts', {
    token,
    json: { content: PRIVATE.draftRevision, category: 'Sea' },
  });
  const { id: draftId } = draft.body?.data ?? {};
  await database.sequelize.query(`update drafts set stored_at = now() - interval '1 hour' where id = ${draftId}`);
  await call(url, `PATCH /api/drafts/${draftId}`, { token, json: { content: PRIVATE.draft } });
  const { id: parentCommentId } = await buildComment(url, article.id, { content: 'It blinks.' }, theo);
  await buildComment(url, article.id, { content: 'Twice.', parentCommentId }, mina);
  await call(url, 'PUT /api/members/me/notification-settings/REPLY', { token, json: { enabled: false } });
  const style = { name: 'Keeper', role: 'a keeper', instruction: PRIVATE.style };
  await call(url, 'POST /api/members/me/custom-styles', { token, json: style });
  await database.sequelize.query(`insert into social_links (member_id, provider, subject, email)
     values (${mina.id}, 'GOOGLE', 'subject-8271', 'other@private.test')`);
  await database.sequelize.query(`insert into passkeys
     (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
     values (${mina.id}, 'a cracked telephone', 'credential-4913', 'key-5501', 0, '{internal}', true, true)`);
  await database.sequelize.query(`insert into imported_records (source, kind, key, row_id)
    values ('blog.test', 'member', 'login:mina', ${mina.id})`);
  await call(url, `POST /api/articles/${article.id}/share`, { token });
  await buildApiToken(url, mina, ['read', 'ai'], {
    name: 'Lamp',
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  return { mina, theo, article };
}

/** Each line of an export as an object. */
export function recordsOf(ndjson: string): Record<string, unknown>[] {
  return ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The entries of a ZIP, by name. */
export async function unzip(path: string): Promise<Map<string, Buffer>> {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(await readFile(path), LAZILY);
  const entries = new Map<string, Buffer>();
  zip.on('entry', (entry: yauzl.Entry) => {
    zip.openReadStream(entry, async (error, stream) => {
      if (error) return zip.emit('error', error);
      entries.set(entry.fileName, Buffer.concat(await stream.toArray()));
      zip.readEntry();
    });
  });
  zip.readEntry();
  await once(zip, 'end');
  return entries;
}

const LAZILY = { lazyEntries: true };
