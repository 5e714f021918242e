/** The declarations of the mutations to which Idempotency-Key applies. */
import { expect } from 'chai';
import {
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql';
import { analyzeOperation } from '../../src/graphql/operation-analysis.js';
import { buildSchema } from '../../src/graphql/schema.js';

describe('Every mutation', () => {
  const schema = buildSchema();
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});

  it('accepts an Idempotency-Key, except those with a secret and those without a transaction', () => {
    const ignored = fields.filter(({ extensions }) => extensions.idempotencyKey === 'ignored: no transaction');
    expect(ignored.map(({ name }) => name).sort()).to.deep.equal([
      'generateText',
      'recordView',
      'testWebhook',
      'transformStyle',
    ]);
    const others = fields.filter(({ extensions }) => extensions.idempotencyKey === undefined);
    expect(others.length).to.be.greaterThan(50);
  });

  it('ignores the key if its type has a field with a secret, and only then for this reason', () => {
    for (const { name, type, extensions } of fields) {
      const document = parse(`mutation { ${name} ${selectionOf(type)} }`);
      const isSecret = extensions.idempotencyKey === 'ignored: secret';
      const operation = document.definitions[0] as OperationDefinitionNode;
      expect(analyzeOperation(schema, document, operation).hasSecret, print(document)).to.equal(isSecret);
    }
  });

  it('has a result that is not null, except register, which returns none if the response must not depend on the address', () => {
    const nullable = fields.filter(({ type }) => !isNonNullType(type));
    expect(nullable.map(({ name }) => name)).to.deep.equal(['register']);
  });
});

/** A selection of all fields without required arguments, two levels deep. */
function selectionOf(type: GraphQLOutputType, levels = 2): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const isSelectable = (of: GraphQLOutputType) => levels > 1 || isLeafType(getNamedType(of));
  const fields = Object.values(named.getFields()).filter(({ type: of }) => isSelectable(of));
  const free = fields.filter(({ args }) =>
    args.every(({ type: of, defaultValue }) => !isNonNullType(of) || defaultValue),
  );
  return `{ __typename ${free.map((field) => `${field.name} ${selectionOf(field.type, levels - 1)}`).join(' ')} }`;
}
