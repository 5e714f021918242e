/** File uploads over GraphQL, according to the GraphQL multipart request specification. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { useMember } from '../support/build.js';
import { codesOf, fetchGraphQL } from '../support/graphql-http.js';
import { flat } from '../support/images.js';
import { filePart, multipart, type PartForm } from '../support/multipart.js';

const app = useApp();

describe('GraphQL file upload', () => {
  const query = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id bio profileImg } }';
  const member = useMember(app);
  let png: Buffer;
  before(async () => {
    png = await flat(4, 4).png().toBuffer();
  });

  const operations = (variables: unknown = { input: { bio: 'with a file', image: null } }) => ({
    name: 'operations',
    body: JSON.stringify({ query, variables }),
  });
  const map = (value: unknown = { 0: ['variables.input.image'] }) => ({ name: 'map', body: JSON.stringify(value) });
  const image = () => ({ ...filePart(png), name: '0' });

  function upload(parts: PartForm[]) {
    const { body, headers: type } = multipart(parts);
    return fetchGraphQL(app.url, {
      method: 'POST',
      body,
      headers: { ...type, Authorization: `Bearer ${member.token}` },
    });
  }

  it('assigns the file to the variable named in the map, for repeated requests', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, json } = await upload([operations(), map(), image()]);
      expect([status, json.errors]).to.deep.equal([200, undefined]);
      expect(json.data.updateMember).to.include({ id: String(member.id), bio: 'with a file' });
      expect((await fetch(json.data.updateMember.profileImg)).status).to.equal(200);
    }
  });

  it('returns 400 for missing or malformed parts and for an invalid map', async () => {
    const wrong: PartForm[][] = [
      [map(), image()],
      [operations(), image()],
      [operations(), map()],
      [operations(), map({ 0: ['variables.input.nothing'] }), image()],
      [operations(), map({ 0: ['variables.nothing.image'] }), image()],
      [operations(), map({ 0: ['query'] }), image()],
      [operations(), map({ 0: ['__proto__.image'] }), image()],
      [operations(), map({ 0: ['constructor.prototype.image'] }), image()],
      [operations(), map({ 0: [''] }), image()],
      [operations(), map({ 0: 'variables.input.image' }), image()],
      [operations(), map({ 1: ['variables.input.image'] }), image()],
      [operations(), map([]), image()],
      [operations(), map('x'), image()],
      [
        operations(),
        map({ 0: ['variables.input.image'], 1: ['variables.input.image'] }),
        image(),
        { ...image(), name: '1' },
      ],
      [{ name: 'operations', body: '{"query":' }, map(), image()],
      [{ name: 'operations', body: `[${operations().body}]` }, map({ 0: ['0.variables.input.image'] }), image()],
    ];
    for (const [index, parts] of wrong.entries()) {
      const response = await upload(parts);
      expect([response.status, codesOf(response)], `case ${index}`).to.deep.equal([400, ['BAD_REQUEST']]);
    }
  });

  it('returns IMAGE_INVALID for a file that is not an image, as REST does', async () => {
    const response = await upload([operations(), map(), { ...filePart('<svg/>'), name: '0' }]);
    expect([response.status, codesOf(response)]).to.deep.equal([200, ['IMAGE_INVALID']]);
  });

  it('returns 401 without a token', async () => {
    const { body, headers } = multipart([operations(), map(), image()]);
    const response = await fetchGraphQL(app.url, { method: 'POST', body, headers });
    expect([response.status, codesOf(response)]).to.deep.equal([401, ['UNAUTHENTICATED']]);
  });
});
