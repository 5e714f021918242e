/** The order of checks, for every endpoint: of several errors in one request, the first one in this order is the response. */
import { expect } from 'chai';
import { MAX_IMAGE_BYTES } from '../../../src/services/images/image.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, type RequestOptions } from '../../support/client.js';
import { filePart, multipart } from '../../support/multipart.js';
import { type DocumentedResult, documentedResults } from '../../support/openapi.js';
import { type ShownRequest, shownRequests, UUID_PATHS } from '../../support/reference.js';
import { addShownAccount, prepareShownJournal } from '../../support/reference-journal.js';

const ORDER = [401, 415, 413, 400, 404, 403, 412];
/** The errors of 401 and 403 that a request can cause together with the others. */
const CAUSED = /^UNAUTHENTICATED$|_FORBIDDEN$/;
const LARGE = MAX_IMAGE_BYTES + 1;
const MISSING_UUID = '00000000-0000-4000-8000-000000000000';

const app = useApp();

describe('The order of checks', function () {
  this.timeout(60_000);
  let owner: BuiltMember;
  let other: BuiltMember;
  let shown: ShownRequest[];
  let results: DocumentedResult[];
  before(async () => {
    owner = await prepareShownJournal(app.url);
    await addShownAccount(app, owner.id);
    other = await buildMember(app.url);
    const document = await (await fetch(`${app.url}/openapi.json`)).json();
    shown = shownRequests(document);
    results = await documentedResults(app.url);
  });

  /** The statuses that the endpoint documents, in order, as far as `request` can cause them. */
  function statusesOf({ operation, mediaType }: ShownRequest): number[] {
    // It succeeds, whatever is sent.
    if (operation === 'POST /api/articles/{articleId}/views') return [];
    const documented = results.filter(({ target }) => target === operation);
    const statuses = new Set(documented.filter(({ result }) => CAUSED.test(result)).map(({ status }) => status));
    for (const { status } of documented) if (status === 400 || status >= 412) statuses.add(status);
    // Unlinking requires the password for a link that exists; a type of notification is checked as a value.
    if (/\{(?!provider|type)\w+\}/.test(operation)) statuses.add(404);
    // Without a body and parameters, and with unknown parameters ignored, only the id can be invalid.
    if (operation === 'DELETE /api/comments/{commentId}') statuses.delete(400);
    // The removal of the article of a draft is in a row, not in the request.
    if (operation.includes('/drafts/')) statuses.delete(403);
    if (mediaType === '') for (const status of [413, 415]) statuses.delete(status);
    return ORDER.filter((status) => statuses.has(status));
  }

  /** A request with a cause for each of the statuses. */
  async function request(
    { operation, mediaType, fields, toSend }: ShownRequest,
    statuses: readonly number[],
  ): Promise<{ target: string; options: RequestOptions }> {
    const has = (status: number) => statuses.includes(status);
    const sent = await toSend(fields);
    const token = has(401) ? 'bad' : has(403) ? other.token : owner.token;
    const [method, path] = sent.target.split('?')[0]?.split(' ') ?? [];
    const segments = operation.split(' ')[1]?.split('/') ?? [];
    const resource = segments.map((segment, at) =>
      has(404) && segment.startsWith('{')
        ? UUID_PATHS.test(operation)
          ? MISSING_UUID
          : '999999'
        : path?.split('/')[at],
    );
    const headers: Record<string, string> = { ...sent.options.headers, 'If-Match': has(412) ? 'W/"999.x"' : '*' };
    const options: RequestOptions = { ...sent.options, headers, token };
    const target = `${method} ${resource.join('/')}${has(400) ? '?unknown=1&page=0' : ''}`;
    if (mediaType === '') return { target, options };
    const broken = has(413) || has(400) ? brokenBody(mediaType, has(413)) : {};
    Object.assign(headers, broken.headers, has(415) && { 'Content-Type': 'text/plain' });
    return { target, options: { ...options, ...broken, headers } };
  }

  function brokenBody(mediaType: string, isLarge: boolean): RequestOptions {
    if (mediaType === 'multipart/form-data') return multipart(isLarge ? [filePart(Buffer.alloc(LARGE))] : []);
    return { json: undefined, body: isLarge ? 'x'.repeat(1_100_000) : '{', headers: { 'Content-Type': mediaType } };
  }

  it(`is 404 and 405, then ${ORDER.join(', ')}`, async () => {
    const checked = new Set<number>();
    for (const one of shown) {
      const statuses = statusesOf(one);
      const { target, options } = await request(one, statuses);
      const [, path = ''] = target.split(' ');
      const { body: _, json: __, ...withoutBody } = options;
      for (const [unrouted, status] of [
        [`GET ${path.replace('/api/', '/api/unknown/')}`, 404],
        [`PROPFIND ${path}`, 405],
      ] as const) {
        const response = await call(app.url, unrouted, withoutBody);
        expect(response.status, unrouted).to.equal(status);
      }
      for (const [index, status] of statuses.entries()) {
        const { target, options } = await request(one, statuses.slice(index));
        const response = await call(app.url, target, options);
        const label = `${target} ${one.mediaType} with ${statuses.slice(index)}: ${JSON.stringify(response.body)}`;
        expect(response.status, label).to.equal(status);
        checked.add(status);
      }
    }
    expect([...checked].sort()).to.deep.equal([...ORDER].sort());
  });
});
