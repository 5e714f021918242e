/** Custom styles: at most ten per member, over REST and GraphQL. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';
import { buildStyle } from '../../support/styles.js';

const app = useApp();
const PATH = '/api/members/me/custom-styles';
const INPUT = { name: 'Pirate', role: 'a pirate', instruction: 'Write like one.\nSwear mildly.' };

const list = async ({ token }: BuiltMember) => (await call(app.url, `GET ${PATH}`, { token })).body?.data.contents;

describe('GET /api/members/me/custom-styles', () => {
  it('returns 200 with only the styles of the member, by name, in one statement', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    for (const name of ['zebra', 'Apple', 'mango']) await buildStyle(app.url, member, { name });
    await buildStyle(app.url, other);
    const names = (await list(member)).map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(['Apple', 'mango', 'zebra']);
    expect(await statementsDuring(() => list(member)), 'one for the token').to.have.length(2);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `GET ${PATH}`)).status).to.equal(401);
  });
});

describe('POST /api/members/me/custom-styles', () => {
  const create = (json: unknown, { token }: BuiltMember) => call(app.url, `POST ${PATH}`, { token, json });

  it('returns 201 with the style, its name and role trimmed, its name in NFC', async () => {
    const member = await buildMember(app.url);
    const { status, body } = await create({ ...INPUT, name: '  \u1112\u1161\u11ab ', role: ' a pirate ' }, member);
    expect(status).to.equal(201);
    const { id, createdAt, updatedAt } = body?.data ?? {};
    expect(body?.data).to.deep.equal({ id, ...INPUT, name: '한', createdAt, updatedAt });
    expect(await list(member)).to.deep.equal([body?.data]);
  });

  it('returns 201 at every length limit, counted in code points', async () => {
    const longest = { name: '😀'.repeat(20), role: '😀'.repeat(100), instruction: '😀'.repeat(1000) };
    const { status, body } = await create(longest, await buildMember(app.url));
    expect(status).to.equal(201);
    expect(body?.data).to.include(longest);
  });

  it('returns 400 and names every field that is missing, blank, too long or invalid', async () => {
    const member = await buildMember(app.url);
    const named = (response: Awaited<ReturnType<typeof create>>) =>
      fieldErrors(response).map((line) => line.split(':')[0]);
    for (const bad of [undefined, null, '', '  ', 7, 'a\0b', '\ud800', 'x'.repeat(1001)]) {
      const response = await create({ name: bad, role: bad, instruction: bad }, member);
      expect([response.status, named(response)], String(bad)).to.deep.equal([400, ['name', 'role', 'instruction']]);
    }
    expect(named(await create({ ...INPUT, name: 'a\nb', role: 'a\tb' }, member))).to.deep.equal(['name', 'role']);
    expect(named(await create({ ...INPUT, id: 1 }, member))).to.deep.equal(['id']);
    expect(await list(member)).to.deep.equal([]);
  });

  it('returns 400 from the 11th style on, also for parallel requests', async () => {
    const member = await buildMember(app.url);
    const numbers = Array.from({ length: 16 }, (_, number) => number);
    const responses = await Promise.all(numbers.map((number) => create({ ...INPUT, name: `Style ${number}` }, member)));
    const codes = responses.map(({ body }) => body?.code).sort();
    expect(codes).to.deep.equal([...Array(10).fill('1'), ...Array(6).fill('STYLE_LIMIT_REACHED')]);
    expect(await list(member)).to.have.length(10);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `POST ${PATH}`, { json: {} })).body?.code).to.equal('UNAUTHENTICATED');
  });

  it('returns 409 for a name that the member already uses or that is built in, regardless of case', async () => {
    const member = await buildMember(app.url);
    await buildStyle(app.url, member, { name: 'Pirate' });
    for (const name of ['PIRATE', 'pirate', 'Friendly', 'PROFESSIONAL', 'short_form']) {
      await expectStatus(create({ ...INPUT, name }, member), 409, 'STYLE_NAME_TAKEN', name);
    }
    expect((await create(INPUT, await buildMember(app.url))).status).to.equal(201);
  });

  it('returns 409 for all but one of 6 parallel requests with the same name', async () => {
    const member = await buildMember(app.url);
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(INPUT, member)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409, 409]);
  });
});

describe('PUT /api/members/me/custom-styles/{styleId}', () => {
  const member = useMember(app);
  let id: number;
  const change = (target: number | string, json: unknown, token = member.token) =>
    call(app.url, `PUT ${PATH}/${target}`, { token, json });
  before(async () => {
    ({ id } = await buildStyle(app.url, member));
  });

  it('returns 200 with the updated style, also when only the case of its name changes', async () => {
    expect((await change(id, INPUT)).body?.data).to.include({ id, ...INPUT });
    expect((await change(id, { ...INPUT, name: 'PIRATE' })).body?.data).to.include({ name: 'PIRATE' });
    expect((await list(member))[0]).to.include({ ...INPUT, name: 'PIRATE' });
  });

  it('returns 400 for an invalid id or missing fields', async () => {
    for (const bad of BAD_IDS) expect((await change(bad, INPUT)).status, bad).to.equal(400);
    expectFieldErrors(await change(id, { name: 'x' }), 'role: is required', 'instruction: is required');
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `PUT ${PATH}/${id}`, { json: INPUT })).status).to.equal(401);
  });

  it('returns 403 for another member, after the checks for 400 and 404', async () => {
    const { token } = await buildMember(app.url);
    expect((await change(id, INPUT, token)).body?.code).to.equal('STYLE_FORBIDDEN');
    expect((await change(id, { ...INPUT, name: 'friendly' }, token)).body?.code).to.equal('STYLE_FORBIDDEN');
    expect((await change(id, { ...INPUT, name: '' }, token)).body?.code).to.equal('VALIDATION_FAILED');
    for (const huge of HUGE_IDS) expect((await change(huge, INPUT, token)).body?.code).to.equal('STYLE_NOT_FOUND');
  });

  it('returns 409 for a name in use or built in, and leaves the style unchanged', async () => {
    await buildStyle(app.url, member, { name: 'Taken' });
    const before = await list(member);
    for (const name of ['taken', 'friendly']) {
      expect((await change(id, { ...INPUT, name })).body?.code, name).to.equal('STYLE_NAME_TAKEN');
    }
    expect(await list(member)).to.deep.equal(before);
  });
});

describe('DELETE /api/members/me/custom-styles/{styleId}', () => {
  const remove = (id: number | string, token?: string) =>
    call(app.url, `DELETE ${PATH}/${id}`, token === undefined ? {} : { token });

  it('returns 200 once, then 404; 401 without a token and 403 for another member', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const { id } = await buildStyle(app.url, member);
    expect((await remove(id)).status).to.equal(401);
    expect((await remove(id, other.token)).body?.code).to.equal('STYLE_FORBIDDEN');
    expect((await remove(id, member.token)).body).to.deep.equal({ code: '1', message: 'Style deleted.', data: {} });
    expect((await remove(id, member.token)).body?.code).to.equal('STYLE_NOT_FOUND');
    expect(await list(member)).to.deep.equal([]);
    for (const bad of BAD_IDS) expect((await remove(bad, member.token)).status, bad).to.equal(400);
    for (const huge of HUGE_IDS) expect((await remove(huge, member.token)).status, huge).to.equal(404);
  });
});

describe('GraphQL custom styles', () => {
  it('are created, updated, listed and deleted under the same rules as over REST', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const run = (query: string, variables: Record<string, unknown> = {}, { token } = member) =>
      graphql(app.url, query, variables, token);
    const make = 'mutation ($input: CustomStyleInput!) { createCustomStyle(input: $input) { id name createdAt } }';
    const made = (await run(make, { input: INPUT })).data.createCustomStyle;
    expect(made.createdAt).to.match(/Z$/);
    const update =
      'mutation ($id: ID!, $input: CustomStyleInput!) { updateCustomStyle(id: $id, input: $input) { role } }';
    const changed = await run(update, { id: made.id, input: { ...INPUT, role: 'a captain' } });
    expect(changed.data.updateCustomStyle).to.deep.equal({ role: 'a captain' });
    expect((await run('{ customStyles { name role instruction } }')).data.customStyles).to.deep.equal([
      { ...INPUT, role: 'a captain' },
    ]);
    const remove = 'mutation ($id: ID!) { deleteCustomStyle(id: $id) { id } }';
    const codes = [
      await run(make, { input: INPUT }),
      await run(make, { input: { ...INPUT, name: ' ' } }),
      await run(remove, { id: made.id }, other),
      await run(update, { id: '9'.repeat(30), input: INPUT }),
    ].map(({ errors }) => errors?.[0]?.extensions.code);
    expect(codes).to.deep.equal(['STYLE_NAME_TAKEN', 'VALIDATION_FAILED', 'STYLE_FORBIDDEN', 'STYLE_NOT_FOUND']);
    expect((await run(remove, { id: made.id })).data.deleteCustomStyle).to.deep.equal({ id: made.id });
    expect((await graphql(app.url, '{ customStyles { id } }')).errors?.[0]?.extensions.code).to.equal(
      'UNAUTHENTICATED',
    );
  });
});
