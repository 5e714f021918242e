/** `POST /mcp`: methods, origins, versions of the protocol, bodies and tokens. */
import { expect } from 'chai';
import { registry } from '../../src/platform/observability/metrics/registry.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { buildArticle, useMember } from '../support/build.js';
import { call } from '../support/client.js';
import { interleave } from '../support/interleave.js';
import { readableLog } from '../support/log.js';
import { connectAgent, sendMessage } from '../support/mcp.js';

const ORIGIN = 'https://good.example';

const callOf = (name: unknown, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** A request of 2026. */
const modern = (version: string, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

describe('POST /mcp', () => {
  const { log, lines } = readableLog('info');
  const app = useApp({ CORS_ORIGINS: ORIGIN }, { log });
  const member = useMember(app);
  const authorized = () => ({ Authorization: `Bearer ${member.token}` });

  it('has no sessions: GET and DELETE are 405, and no response names one', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await sendMessage(app.url, null, {}, method);
      expect([status, headers.get('Allow')]).to.deep.equal([405, 'POST']);
    }
    const { headers } = await sendMessage(app.url, initialize('2025-11-25'));
    expect(headers.get('Mcp-Session-Id')).to.equal(null);
  });

  it('rejects pages of other origins, also of that of the service, with the setting', async () => {
    for (const origin of ['https://evil.example', app.url, 'null']) {
      const { status, body } = await sendMessage(app.url, callOf('list_articles', {}), { Origin: origin });
      expect([status, body.error.message], origin).to.deep.equal([
        403,
        'Web pages of this origin may not use this server: its operator can add the origin to CORS_ORIGINS.',
      ]);
    }
    const { status, headers } = await sendMessage(app.url, callOf('list_articles', {}), { Origin: ORIGIN });
    expect([status, headers.get('Access-Control-Allow-Origin')]).to.deep.equal([200, ORIGIN]);
  });

  it('serves the versions of 2025 and 2026, and names those it has for others', async () => {
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const { status, body } = await sendMessage(app.url, initialize(version));
      expect([status, body.result.protocolVersion]).to.deep.equal([200, version]);
    }
    const { body: future } = await sendMessage(app.url, initialize('2099-01-01'));
    expect(future.result.protocolVersion).to.equal('2025-11-25');
    const old = await sendMessage(app.url, callOf('list_articles', {}), { 'Mcp-Protocol-Version': '1999-01-01' });
    expect([old.status, old.body.error.message]).to.satisfy(([status, text]: [number, string]) => {
      return status === 400 && text.includes('2025-11-25');
    });
    const discover = (version: string) =>
      sendMessage(app.url, modern(version, 'server/discover'), {
        'Mcp-Protocol-Version': version,
        'Mcp-Method': 'server/discover',
      });
    const discovered = await discover('2026-07-28');
    expect(discovered.body.result.supportedVersions).to.deep.equal(['2026-07-28']);
    expect(discovered.body.result.instructions).to.include('publish only what the user has asked');
    const unknown = await discover('2027-01-01');
    expect([unknown.status, unknown.body.error.data.supported]).to.deep.equal([400, ['2026-07-28']]);
  });

  it('opens no stream of subscriptions', async () => {
    const message = modern('2026-07-28', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const headers = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };
    const { body } = await sendMessage(app.url, message, headers);
    expect(body.error.message).to.equal('Subscription limit reached');
  });

  it('rejects batches, other bodies and large ones, as REST does', async () => {
    const outcome = async (body: unknown, headers: Record<string, string> = {}) => {
      const response = await sendMessage(app.url, body, headers);
      return [response.status, response.body.code];
    };
    const many = Array.from({ length: 100 }, () => callOf('list_articles', {}));
    expect(await outcome(many)).to.deep.equal([400, 'BAD_REQUEST']);
    expect(await outcome('{')).to.deep.equal([400, 'BAD_REQUEST']);
    expect(await outcome('{}', { 'Content-Type': 'text/plain' })).to.deep.equal([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const large = callOf('search_articles', { keyword: 'x'.repeat(1024 * 1024) });
    expect(await outcome(large)).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    expect(await outcome(large, authorized())).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_article","arguments":{"articleId":${'['.repeat(4_000)}${']'.repeat(4_000)}}}}`;
    const { body } = await sendMessage(app.url, deep);
    expect(body.result.content[0].text).to.include('articleId: must be a positive whole number, got "[[');
  });

  it('rejects what is no request, unknown methods, and unknown tools with the names of all tools', async () => {
    for (const body of [{}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', id: {}, method: 5 }])
      expect((await sendMessage(app.url, body)).status, JSON.stringify(body)).to.equal(400);
    const { body: method } = await sendMessage(app.url, { jsonrpc: '2.0', id: 1, method: 'resources/list' });
    expect(method.error.code).to.equal(-32_601);
    const { body: tool } = await sendMessage(app.url, callOf('delete_everything', {}));
    expect([tool.error.code, tool.error.message]).to.satisfy(([code, text]: [number, string]) => {
      return code === -32_602 && text.includes('no tool delete_everything') && text.includes('search_articles, list_');
    });
    for (const [name, args] of [
      [5, {}],
      ['list_articles', 'x'],
      ['list_articles', []],
      ['toString', {}],
    ])
      expect((await sendMessage(app.url, callOf(name, args))).body.error.code, `${name}`).to.equal(-32_602);
    const { status, body } = await sendMessage(app.url, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, body]).to.deep.equal([202, null]);
  });

  it('rejects a wrong token with 401, and one that ends during a call with a result', async () => {
    const wrong = await sendMessage(app.url, callOf('list_articles', {}), { Authorization: 'Bearer dbk_x' });
    expect([wrong.status, wrong.headers.get('WWW-Authenticate'), wrong.body.code]).to.deep.equal([
      401,
      'Bearer',
      'UNAUTHENTICATED',
    ]);
    const { id, token } = await buildApiToken(app.url, member, ['articles']);
    const article = await buildArticle(app.url, {}, member);
    const agent = await connectAgent(app.url, token);
    const { draftId } = (await agent.call('save_draft', { articleId: article.id })).data;
    const { isError, text } = await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () => agent.call('publish_draft', { draftId }),
      change: `delete from api_tokens where id = '${id}'`,
    });
    expect(isError).to.equal(true);
    expect(text).to.match(/^UNAUTHENTICATED: .*\nThis connection has no valid token\. Ask the user/);
    expect((await call(app.url, `GET /api/drafts/${draftId}`, member)).status).to.equal(200);
  });

  it('answers in English, and counts in the log and the metrics', async () => {
    const { id } = await buildArticle(app.url);
    lines.length = 0;
    const { body } = await sendMessage(app.url, callOf('read_article', { articleId: 999_999 }), {
      'Accept-Language': 'ko',
      'X-Request-Id': 'of-mcp',
    });
    expect(body.result.content[0].text).to.match(/^ARTICLE_NOT_FOUND: The article does not exist\.\n/);
    await sendMessage(app.url, callOf('read_article', { articleId: id }));
    const [line = ''] = lines.filter((one) => one.includes('"of-mcp"'));
    expect(JSON.parse(line)).to.include({ method: 'POST', route: '/mcp', status: 200 });
    const metrics = await registry.metrics();
    expect(metrics).to.match(/daybook_errors_total\{api="mcp",key="ARTICLE_NOT_FOUND"\} \d/);
    expect(metrics).to.match(
      /daybook_graphql_operation_duration_seconds_count\{api="mcp",type="query",field="article"/,
    );
  });
});

describe('MCP=false', () => {
  const app = useApp({ MCP: 'false' });

  it('removes the route', async () => {
    const { status, body } = await sendMessage(app.url, callOf('list_articles', {}));
    expect([status, body.code]).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
  });
});
