/** Categories, over REST and GraphQL. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

async function build(member: BuiltMember, categoryName: string): Promise<number> {
  const { status, body } = await call(app.url, 'POST /api/categories', { token: member.token, json: { categoryName } });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data.id;
}

async function list({ token }: BuiltMember): Promise<{ id: number; categoryName: string }[]> {
  return (await call(app.url, 'GET /api/categories', { token })).body?.data.contents;
}

async function defaultOf(member: BuiltMember): Promise<number> {
  return (await list(member))[0]?.id ?? 0;
}

describe('POST /api/categories', () => {
  const create = (json: unknown, { token }: BuiltMember) => call(app.url, 'POST /api/categories', { token, json });

  it('returns 201 with the category, its name trimmed and in NFC', async () => {
    const member = await buildMember(app.url);
    const { status, body } = await create({ categoryName: '  \u1112\u1161\u11ab  ' }, member);
    expect(status).to.equal(201);
    expect(body?.data).to.deep.equal({ id: body?.data.id, categoryName: '한', memberId: member.id });
  });

  it('returns 400 for a name that is missing, blank, too long or otherwise invalid', async () => {
    const member = await buildMember(app.url);
    for (const categoryName of [undefined, null, '', '   ', 'x'.repeat(21), 'a\nb', 'a\0b', '\ud800', 7]) {
      const response = await create({ categoryName }, member);
      expect([response.status, fieldErrors(response)[0]?.split(':')[0]]).to.deep.equal([400, 'categoryName']);
    }
  });

  it('returns 400 from the 21st category on, also for parallel requests', async () => {
    const member = await buildMember(app.url);
    const names = Array.from({ length: 30 }, (_, number) => ({ categoryName: `Shelf ${number}` }));
    const responses = await Promise.all(names.map((name) => create(name, member)));
    const codes = responses.map(({ body }) => body?.code).sort();
    expect(codes).to.deep.equal([...Array(20).fill('1'), ...Array(10).fill('CATEGORY_LIMIT_REACHED')]);
    expect(await list(member)).to.have.length(21);
  });

  it('returns 401 without a token', async () => {
    await expectStatus(call(app.url, 'POST /api/categories', { json: {} }), 401, 'UNAUTHENTICATED');
  });

  it('returns 409 for a name that the member already uses, regardless of case', async () => {
    const member = await buildMember(app.url);
    await build(member, 'Travel');
    for (const categoryName of ['travel', 'TRAVEL', 'general']) {
      expect((await create({ categoryName }, member)).body?.code, categoryName).to.equal('CATEGORY_NAME_TAKEN');
    }
    await build(await buildMember(app.url), 'Travel');
  });
});

describe('GET /api/categories', () => {
  it('returns 200 with only the categories of the member, the default one first, then by name', async () => {
    const member = await buildMember(app.url);
    await build(member, 'zebra');
    await build(member, 'Apple');
    expect((await list(member)).map(({ categoryName }) => categoryName)).to.deep.equal(['General', 'Apple', 'zebra']);
    expect(await statementsDuring(() => list(member)), 'one for the token').to.have.length(2);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, 'GET /api/categories')).status).to.equal(401);
  });
});

describe('GET /api/categories/{categoryId}', () => {
  it('returns 200 for the owner, 403 for another member and 404 for an unknown category', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const id = await build(member, 'Mine');
    const read = (target: number | string, { token }: BuiltMember) =>
      call(app.url, `GET /api/categories/${target}`, { token });
    expect((await read(id, member)).body?.data).to.deep.equal({ id, categoryName: 'Mine', memberId: member.id });
    expect((await read(id, other)).body?.code).to.equal('CATEGORY_FORBIDDEN');
    for (const bad of BAD_IDS) expect((await read(bad, member)).status, bad).to.equal(400);
    for (const huge of HUGE_IDS) expect((await read(huge, member)).body?.code, huge).to.equal('CATEGORY_NOT_FOUND');
    expect((await call(app.url, `GET /api/categories/${id}`)).status).to.equal(401);
  });
});

describe('PUT /api/categories/{categoryId}', () => {
  const member = useMember(app);
  let id: number;
  const rename = (target: number | string, categoryName: unknown, token = member.token) =>
    call(app.url, `PUT /api/categories/${target}`, { token, json: { categoryName } });
  before(async () => {
    id = await build(member, 'Before');
  });

  it('returns 200 with the new name, also when only its case changes', async () => {
    expect((await rename(id, 'After')).body?.data).to.deep.equal({ id, categoryName: 'After', memberId: member.id });
    expect((await rename(id, 'AFTER')).status).to.equal(200);
  });

  it('returns 400 for the default category', async () => {
    await expectStatus(rename(await defaultOf(member), 'Mine'), 400, 'DEFAULT_CATEGORY_FIXED');
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `PUT /api/categories/${id}`, { json: { categoryName: 'x' } })).status).to.equal(401);
  });

  it('returns 403 for another member, after the checks for 400 and 404', async () => {
    const { token } = await buildMember(app.url);
    expect((await rename(id, 'x', token)).body?.code).to.equal('CATEGORY_FORBIDDEN');
    expect((await rename(id, '', token)).body?.code).to.equal('VALIDATION_FAILED');
    expect((await rename(2_147_483_648, 'x', token)).body?.code).to.equal('CATEGORY_NOT_FOUND');
  });

  it('returns 409 for a name that the member already uses', async () => {
    await build(member, 'Taken');
    expect((await rename(id, 'taken')).body?.code).to.equal('CATEGORY_NAME_TAKEN');
  });
});

describe('DELETE /api/categories/{categoryId}', () => {
  const remove = (id: number | string, { token }: BuiltMember) =>
    call(app.url, `DELETE /api/categories/${id}`, { token });

  it('returns 200 and moves its articles to the default category', async () => {
    const member = await buildMember(app.url);
    const id = await build(member, 'Short-lived');
    const article = await buildArticle(app.url, { category: 'short-LIVED' }, member);
    expect((await remove(id, member)).body).to.deep.equal({ code: '1', message: 'Category deleted.', data: {} });
    const { data } = (await call(app.url, `GET /api/articles/${article.id}`)).body ?? {};
    expect(data).to.include({ category: 'General', categoryId: await defaultOf(member), revision: 1 });
    expect((await remove(id, member)).body?.code).to.equal('CATEGORY_NOT_FOUND');
  });

  it('returns 200 during parallel writes, and no article refers to a deleted category', async () => {
    const member = await buildMember(app.url);
    const id = await build(member, 'Busy');
    const write = () =>
      call(app.url, 'POST /api/articles', {
        token: member.token,
        json: { title: 't', content: 'c', category: 'Busy' },
      });
    const responses = await Promise.all([write(), write(), write(), remove(id, member), write(), write(), write()]);
    expect(responses.filter(({ status }) => ![200, 201, 404].includes(status))).to.deep.equal([]);
    expect(responses[3]?.status).to.equal(200);
    const [lost] = await app.database.sequelize.query(
      'select a.id from articles a left join categories c on c.id = a.category_id where c.id is null',
    );
    expect(lost).to.deep.equal([]);
  });

  it('returns 400 for the default category', async () => {
    const member = await buildMember(app.url);
    expect((await remove(await defaultOf(member), member)).body?.code).to.equal('DEFAULT_CATEGORY_FIXED');
  });

  it('returns 401, 403 and 404', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const id = await build(member, 'Mine');
    expect((await call(app.url, `DELETE /api/categories/${id}`)).status).to.equal(401);
    expect((await remove(id, other)).body?.code).to.equal('CATEGORY_FORBIDDEN');
    for (const huge of HUGE_IDS) expect((await remove(huge, member)).body?.code, huge).to.equal('CATEGORY_NOT_FOUND');
  });
});

describe('GraphQL categories', () => {
  it('are created, renamed, read and deleted under the same rules as over REST', async () => {
    const { token } = await buildMember(app.url);
    const run = (query: string, by: string | undefined = token) => graphql(app.url, query, {}, by);
    const { id } = (await run('mutation { createCategory(name: "One") { id } }')).data.createCategory;
    const renamed = await run(`mutation { updateCategory(id: ${id}, name: "Two") { name isDefault } }`);
    expect(renamed.data.updateCategory).to.deep.equal({ name: 'Two', isDefault: false });
    expect((await run(`{ category(id: ${id}) { name } categories { name isDefault } }`)).data).to.deep.equal({
      category: { name: 'Two' },
      categories: [
        { name: 'General', isDefault: true },
        { name: 'Two', isDefault: false },
      ],
    });
    const { token: other } = await buildMember(app.url);
    const rejected = await run(`mutation { deleteCategory(id: ${id}) { id } }`, other);
    expect(rejected.errors?.[0]?.extensions.code).to.equal('CATEGORY_FORBIDDEN');
    expect((await run(`mutation { deleteCategory(id: ${id}) { id } }`)).data).to.deep.equal({ deleteCategory: { id } });
  });
});
