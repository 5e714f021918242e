/** The checks of the schema when the service starts: every public query declares its stamps, or a reason why it has none; no write is public by mistake. */
import { expect } from 'chai';
import { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { buildSchema, requireAuthorization, requireStamps } from '../../src/graphql/schema.js';

const fields = buildSchema().getQueryType()?.toConfig().fields ?? {};

/** Checks the queries of the service without one kind of declaration. */
function checkWithout(declaration: string): void {
  const remaining = Object.entries(fields).map(([name, field]) => {
    const { [declaration]: _, ...extensions } = field.extensions ?? {};
    return [name, { ...field, extensions }] as const;
  });
  const query = new GraphQLObjectType({ name: 'Query', fields: Object.fromEntries(remaining) });
  requireStamps(new GraphQLSchema({ query }));
}

function namesWith(declaration: string): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.extensions?.[declaration]);
}

describe('The stamps of public queries', () => {
  for (const [declaration, example] of Object.entries({ stamps: 'comments', unstamped: 'passkeyLoginOptions' })) {
    it(`are required: without "${declaration}", the schema is rejected with the names of the queries`, () => {
      const names = namesWith(declaration);
      expect(names).to.include(example);
      expect(() => checkWithout(declaration)).to.throw(
        `These queries need @Authorized, @Stamped, or @Unstamped with a reason (schema/stamped.ts): ${names.join(', ')}`,
      );
    });
  }

  it('are declared or have a reason, never both', () => {
    checkWithout('other');
    expect(namesWith('stamps').filter((name) => namesWith('unstamped').includes(name))).to.deep.equal([]);
  });
});

describe('The mutations that need no token', () => {
  const mutations = buildSchema().getMutationType()?.toConfig().fields ?? {};

  it('are declared: without @TokenIgnored, the schema is rejected with their names', () => {
    const isPublic = ([, { extensions }]: (typeof entries)[number]) => extensions?.ignoresToken === true;
    const entries = Object.entries(mutations);
    const names = entries.filter(isPublic).map(([name]) => name);
    expect(names).to.include.members(['login', 'register']);
    const fields = Object.fromEntries(entries.map(([name, field]) => [name, { ...field, extensions: {} }]));
    const mutation = new GraphQLObjectType({ name: 'Mutation', fields });
    expect(() => requireAuthorization(new GraphQLSchema({ mutation }))).to.throw(
      `These mutations need @Authorized or @TokenIgnored (schema/auth.ts): ${names.join(', ')}`,
    );
  });
});
