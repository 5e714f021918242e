/** The list of tools: its size, its order, its schemas, and what each combination of scopes sees. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { compileTools, isPermitted } from '../../src/mcp/compile.js';
import { SCOPE_NAMES, type Scope } from '../../src/models/session/api-token.js';
import { compileApi } from '../../src/rest/api.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { useMember } from '../support/build.js';
import { connectAgent, type Era } from '../support/mcp.js';

const app = useApp();

const MAX_CHARACTERS = 24_000;

const PUBLIC = ['search_articles', 'list_articles', 'read_article', 'read_comments', 'list_changes'];
const OF_SCOPES: Readonly<Partial<Record<Scope, readonly string[]>>> = {
  read: ['list_received_comments'],
  articles: ['list_drafts', 'read_draft', 'save_draft', 'publish_draft', 'article_statistics'],
  drafts: ['list_drafts', 'read_draft', 'save_draft'],
  comments: ['list_received_comments', 'reply_to_comment', 'set_comment_approval'],
};
const ALL = [
  ...['search_articles', 'list_articles', 'read_article', 'read_comments', 'list_drafts', 'read_draft', 'save_draft'],
  ...['publish_draft', 'list_received_comments', 'reply_to_comment', 'set_comment_approval', 'article_statistics'],
  'list_changes',
];

describe('tools/list', () => {
  const member = useMember(app);
  const toolsOf = async (token?: string, era?: Era) => (await connectAgent(app.url, token, era)).client.listTools();
  const namesOf = async (token?: string) => (await toolsOf(token)).tools.map(({ name }) => name);

  it('has 13 tools in a fixed order, in at most 24,000 characters, the same for clients of 2026 and 2025', async () => {
    const { tools } = await toolsOf(member.token);
    expect(tools.map(({ name }) => name)).to.deep.equal(ALL);
    expect(JSON.stringify(tools).length).to.be.at.most(MAX_CHARACTERS);
    expect((await toolsOf(member.token, '2025-11-25')).tools).to.deep.equal(tools);
  });

  it('describes each tool and argument, with all annotations and schemas without descriptions of results', async () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    for (const { name, title, description, annotations, inputSchema, outputSchema } of (await toolsOf(member.token))
      .tools) {
      expect([title, description].every(Boolean), name).to.equal(true);
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
      expect(annotations, name).to.have.all.keys(...hints);
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        expect((schema as { description?: string }).description, `${name} ${argument}`).to.match(/./);
      for (const schema of [inputSchema, outputSchema]) expect(() => ajv.compile(schema ?? false), name).not.to.throw();
      expect(JSON.stringify(outputSchema), name).not.to.include('"description":"');
    }
  });

  it('has the tools that the scopes of a token permit, and without a token those for everyone', async () => {
    const expected = (names: readonly string[]) => ALL.filter((name) => [...PUBLIC, ...names].includes(name));
    expect(await namesOf()).to.deep.equal(expected([]));
    for (const scope of SCOPE_NAMES) {
      const { token } = await buildApiToken(app.url, member, [scope]);
      expect(await namesOf(token), scope).to.deep.equal(expected(OF_SCOPES[scope] ?? []));
    }
    const { token } = await buildApiToken(app.url, member, ['drafts', 'comments']);
    expect(await namesOf(token)).to.deep.equal(expected([...(OF_SCOPES.drafts ?? []), ...(OF_SCOPES.comments ?? [])]));
  });

  it('has for each combination of scopes the tools of each of them', () => {
    const tools = [...compileTools(compileApi()).values()];
    const permitted = (scopes: readonly Scope[]) => {
      const viewer = { scopes: new Set(scopes) } as unknown as Parameters<typeof isPermitted>[1];
      return tools.filter((tool) => isPermitted(tool, viewer)).map(({ tool }) => tool.name);
    };
    for (let bits = 0; bits < 2 ** SCOPE_NAMES.length; bits++) {
      const scopes = SCOPE_NAMES.filter((_, index) => bits & (1 << index));
      const each = [...PUBLIC, ...scopes.flatMap((scope) => OF_SCOPES[scope] ?? [])];
      expect(permitted(scopes), scopes.join()).to.deep.equal(ALL.filter((name) => each.includes(name)));
    }
  });

  it('may be cached for everyone without a token only', async () => {
    const scopeOf = async (token?: string) => {
      const { cacheScope, ttlMs } = (await toolsOf(token)) as { cacheScope?: string; ttlMs?: number };
      return [cacheScope, ttlMs];
    };
    expect(await scopeOf()).to.deep.equal(['public', 300_000]);
    expect(await scopeOf(member.token)).to.deep.equal(['private', 300_000]);
  });
});
