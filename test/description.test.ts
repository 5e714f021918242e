/** Both documents say of everything in them what it is. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { buildSchema, type GraphQLField, type GraphQLNamedType, isSpecifiedScalarType } from 'graphql';

// Compiled, this file is in dist/test.
const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

interface Described {
  name: string;
  description?: string | null | undefined;
}

describe('The GraphQL schema', () => {
  it('describes every type, field, argument and enum value', async () => {
    const types = Object.values(buildSchema(await read('schema.graphql')).getTypeMap());
    const own = types.filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));
    expect(own.length).to.be.above(40);
    expect(own.flatMap(undescribed)).to.deep.equal([]);
  });
});

function undescribed(type: GraphQLNamedType): string[] {
  const fields: GraphQLField<unknown, unknown>[] = 'getFields' in type ? Object.values(type.getFields()) : [];
  const values = 'getValues' in type ? type.getValues() : [];
  const members: Described[] = [...fields, ...values].map(({ name, description }) => ({
    name: `${type.name}.${name}`,
    description,
  }));
  const parameters: Described[] = fields.flatMap((field) =>
    // Fields of inputs have none.
    (field.args ?? []).map(({ name, description }) => ({
      name: `${type.name}.${field.name}(${name})`,
      description,
    })),
  );
  return [type, ...members, ...parameters].filter(({ description }) => !description?.trim()).map(({ name }) => name);
}
