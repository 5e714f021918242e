/** Random journals with everything that an export as Markdown files keeps. */
import type { SeededRandom } from '../hostile/seeded-random.js';
import type { TestApp } from './app.js';
import { type BuiltImage, type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from './build.js';
import { call } from './client.js';
import { buildDraft } from './drafts.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';

const TITLES = [
  '---',
  '# Owls',
  'Owls: a "guide" \'to\' them',
  '봄날의 산책 🦉',
  'no',
  '2026-11-20',
  '1:30',
  'back\\slash',
  '&amp; <b>bold</b> &lt;',
  '[link](x) *and* `code`',
  '!!!',
  'STRASSE',
  'straße',
  `${'긴'.repeat(99)}.`,
  'a'.repeat(100),
  '@at, {a: b} | > %',
];

const TEXTS = [
  'A **lamp** in the _fog_.',
  '---\ntitle: "not front matter"\n---',
  '+++\ndraft = true\n+++',
  '```yaml\n- a: 1 # {{ secrets.KEY }}\n```',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '- one\n  - two\n\n1. three',
  '<details><summary>더 보기</summary>\n\n안개\n\n</details>',
  '<!-- a comment --> &amp; &#8217; &nbsp;',
  '[gallery ids="1,2"] [[wiki]] ![[embed]] {% raw %}',
  '    indented\n\ttab',
  '`{{< nestbox id="3" >}}` {{% a %}} {{</* b */>}} `{{<`',
  '  \n\ntrailing  \n',
  'https://other.test/images/a.webp and ../images/x.webp',
  'e\u0301 \u{1f5fc} \u200b\u2028\ufeff',
  '\\# \\[escaped\\] $x^2$ [^1]\n\n[^1]: A note.',
  '<p style="text-align:center"><img src="https://other.test/a.png" alt="other"></p>',
];

/** References to an image of the service. */
const REFERENCES: readonly ((image: BuiltImage, random: SeededRandom) => string)[] = [
  ({ url }) => `![A "lamp"](${url})`,
  ({ url }) => `![](<${url}> 'title') ![등대](${url} "again")`,
  ({ key }) => `[full size](/images/${key}.webp)`,
  ({ key }) =>
    `<img src="/images/${key}-320.webp" srcset="/images/${key}-320.webp 320w, /images/${key}.webp 400w" alt="a &quot;lamp&quot;">`,
  ({ key }) => `<a href='https://old.test/images/${key}.webp'><img alt="" src='/images/${key}.webp'></a>`,
  ({ key }) => `![A lamp][lamp]\n\n[lamp]: /images/${key}.webp "Lamp"`,
];

const NAMES = ['mina', '미나', 'Théo', 'no', 'lena 2', '김-철수', '12', 'Zoë'];
const COMMENTS = [
  'It blinks.',
  '<b>bold</b> & &amp;',
  ' 두 줄\n둘째 줄 ',
  '(deleted) 🗼',
  'https://other.test',
  '# x',
  '\u200b.',
];
const DESCRIPTIONS = ['', 'What is "on" the roof', '  # 지붕 ', '\u202bשלום', 'no'];
const TAGS = ['..', 'no', '빛', 'sea', '2026', 'a b', "l'été", '#tag', 'c++'];

const LANGUAGES = ['', 'ko', 'ko-KR', 'en', 'no'];

const MAX = { articles: 5, drafts: 4, comments: 6 };

/** Writes a random journal over the API into an empty database. Times, which the API does not accept, are set afterwards. */
export async function buildRandomJournal(app: TestApp, random: SeededRandom): Promise<void> {
  const names = NAMES.slice(random.integer(0, 4)).slice(0, random.integer(1, 4));
  const writers: Writer[] = [];
  for (const nickname of names) writers.push(await buildWriter(app.url, nickname, random));
  for (let count = random.integer(1, MAX.articles); count > 0; count--) await buildRandomArticle(app, writers, random);
  for (const { member } of writers) {
    await buildRandomSeries(app.url, member, random);
    await buildRandomTranslations(app.url, member, random);
  }
  for (let count = random.integer(0, MAX.drafts); count > 0; count--) {
    const { member, images, category } = random.pick(writers);
    const image = images.length > 0 && random.chance(40) ? { imageId: random.pick(images).id } : {};
    const visibility = random.chance(20) ? { visibility: 'PRIVATE' } : {};
    const slug = random.chance(30) ? { slug: `draft-${count}` } : {};
    const publishedAt = random.chance(40) ? { publishedAt: '2019-05-04T03:02:01Z' } : {};
    const json = { title: random.chance(20) ? '' : random.pick(TITLES), content: contentOf(images, random) };
    await buildDraft(
      app.url,
      {
        ...json,
        ...(category && { category }),
        tags: tagsOf(random),
        ...image,
        ...visibility,
        ...slug,
        ...publishedAt,
        ...metadataOf(random),
      },
      member,
    );
  }
  if (random.chance(50)) await buildDraftsOfArticles(app, writers);
  if (writers.length > 1 && random.chance(40)) {
    const { member } = writers.pop() as Writer;
    await call(app.url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } });
  }
  await setTimes(app, random);
}

async function buildDraftsOfArticles({ url, database }: TestApp, writers: readonly Writer[]): Promise<void> {
  const [articles] = await database.sequelize.query('select id, member_id as "memberId" from all_articles');
  for (const { id, memberId } of articles as { id: number; memberId: number }[]) {
    const author = writers.find(({ member }) => Number(member.id) === Number(memberId));
    await call(url, `PUT /api/articles/${id}/draft`, { token: author?.member.token ?? '' });
  }
}

interface Writer {
  member: BuiltMember;
  images: BuiltImage[];
  category: string | null;
}

async function buildWriter(url: string, nickname: string, random: SeededRandom): Promise<Writer> {
  const member = await buildMember(url, { nickname });
  const { token } = member;
  if (random.chance(50)) {
    const parts = [requestPart({ bio: random.pick(['', 'Keeps a "light": 등대 🗼', '- no\n- yes']) })];
    if (random.chance(60))
      parts.push(
        filePart(
          await flat(20, 10, `#0000${random.integer(10, 99)}`)
            .png()
            .toBuffer(),
        ),
      );
    await call(url, 'PATCH /api/members/me', { token, ...multipart(parts) });
  }
  const images: BuiltImage[] = [];
  for (let count = random.integer(0, 2); count > 0; count--)
    images.push(await buildImage(url, member, random.pick([200, 400]), random.integer(5, 9)));
  const category = random.chance(50) ? random.pick(['바다', 'no', 'A & B']) : null;
  if (category) await call(url, 'POST /api/categories', { token, json: { categoryName: category } });
  return { member, images, category };
}

async function buildRandomArticle({ url }: TestApp, writers: readonly Writer[], random: SeededRandom): Promise<void> {
  const { member, images, category } = random.pick(writers);
  const json = {
    title: random.pick(TITLES),
    content: contentOf(images, random),
    ...(category && random.chance(70) && { category }),
    tags: tagsOf(random),
    language: random.pick(LANGUAGES),
    visibility: random.chance(30) ? 'PRIVATE' : 'PUBLIC',
    ...metadataOf(random),
  };
  const article = random.chance(30)
    ? await buildPictured(url, json, member, random)
    : await buildArticle(url, json, member);
  const tops: number[] = [];
  const commenters = json.visibility === 'PRIVATE' ? [member] : writers.map((writer) => writer.member);
  for (let count = random.integer(0, MAX.comments); count > 0; count--) {
    const author = random.pick(commenters);
    const parent = tops.length > 0 && random.chance(50) ? { parentCommentId: random.pick(tops) } : {};
    const { id } = await buildComment(url, article.id, { content: random.pick(COMMENTS), ...parent }, author);
    if (!('parentCommentId' in parent)) tops.push(id);
    const { token } = random.chance(15) ? author : member;
    if (random.chance(15))
      await call(url, `PUT /api/comments/${id}/hidden`, { token: member.token, json: { hidden: true } });
    if (random.chance(15))
      await call(url, `PATCH /api/comments/${id}`, { token, json: { content: random.pick(COMMENTS) } });
  }
  // A place with replies stays.
  for (const id of tops) if (random.chance(20)) await deleteComment(url, id, commenters);
}

/** As far as their languages permit. */
async function buildRandomTranslations(url: string, { token }: BuiltMember, random: SeededRandom): Promise<void> {
  const { body } = await call(url, 'GET /api/articles/me?size=50&include=content', { token });
  const articles: { id: number; title: string; content: string }[] = body?.data.contents;
  for (const { id, title, content } of articles.filter(() => random.chance(50))) {
    const json = { title, content, translationOf: random.pick(articles).id };
    await call(url, `PUT /api/articles/${id}`, { token, json });
  }
}

/** With gaps between the positions, and also empty ones. */
async function buildRandomSeries(url: string, { token }: BuiltMember, random: SeededRandom): Promise<void> {
  const { body } = await call(url, 'GET /api/articles/me?size=100', { token });
  const ids: number[] = body?.data.contents.map(({ id }: { id: number }) => id);
  const titles = TITLES.filter(() => random.chance(10));
  for (const title of titles) {
    const articleIds = ids.filter(() => random.chance(50)).sort(() => random.integer(0, 1) - 0.5);
    const description = random.pick(['', 'A "walk":\n- no', '다섯 날']);
    await call(url, 'POST /api/series', { token, json: { title, description, articleIds } });
  }
}

function metadataOf(random: SeededRandom) {
  const canonicalUrl = random.pick(['', '', 'https://elsewhere.test/a?b=c#d']);
  return { description: random.pick(DESCRIPTIONS), canonicalUrl };
}

async function buildPictured(
  url: string,
  json: object,
  { token }: BuiltMember,
  random: SeededRandom,
): Promise<{ id: number }> {
  const articleImgAlt = random.pick(['', 'A lamp: "lit"', '불 켜진 등대']);
  const image = filePart(await flat(random.integer(20, 29), 20, '#00ff00').png().toBuffer());
  const { body } = await call(url, 'POST /api/articles', {
    token,
    ...multipart([requestPart({ ...json, articleImgAlt }), image]),
  });
  return { id: Number(body?.data.id) };
}

async function deleteComment(url: string, id: number, members: readonly BuiltMember[]): Promise<void> {
  for (const { token } of members) await call(url, `DELETE /api/comments/${id}`, { token });
}

function contentOf(images: readonly BuiltImage[], random: SeededRandom): string {
  const parts = Array.from({ length: random.integer(1, 4) }, () =>
    images.length > 0 && random.chance(50) ? random.pick(REFERENCES)(random.pick(images), random) : random.pick(TEXTS),
  );
  const text = parts.join(random.pick(['\n\n', '\n', '\r\n\r\n']));
  return /\S/.test(text) ? text : 'Fog.';
}

function tagsOf(random: SeededRandom): string[] {
  return [...new Set(Array.from({ length: random.integer(0, 3) }, () => random.pick(TAGS)))];
}

/** Of few days, so that names are equal; a comment may be older than its article. */
async function setTimes({ database }: TestApp, random: SeededRandom): Promise<void> {
  const seed = random.integer(1, 1_000_000);
  const time = (salt: string) =>
    `timestamptz '2024-02-28T23:59:59Z' + abs(hashtext(concat(x.id, '${salt}', ${seed}))) % 3 * interval '1 day 0.713 s'`;
  await database.sequelize.query(`update drafts x set image_alt = 'Of ' || image_id where ${time('a')} > '2024-03-01'`);
  for (const table of ['members', 'all_articles', 'drafts', 'comments']) {
    const edited =
      table === 'members'
        ? ''
        : `, updated_at = ${time('c')} + (abs(hashtext(concat(x.id, 'u'))) % 2) * interval '1 hour 0.3 s'`;
    await database.sequelize.query(`update ${table} x set created_at = ${time('c')}${edited}`);
  }
}
