/** The GraphQL schema and the OpenAPI document describe all of their elements. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { fencesOf } from '../support/documents.js';

// Compiled, this file is in dist/test.
const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');

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

describe('The configuration of GraphQL Code Generator in docs/clients.md', () => {
  it('has a type for each scalar, and for no other', async () => {
    const types = Object.values(buildSchema(await read('schema.graphql')).getTypeMap());
    const scalars = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
    const { text } = fencesOf(await read('docs/clients.md')).find(({ info }) => info === 'json codegen.json') ?? {};
    const { config } = JSON.parse(text ?? '').generates['graphql.ts'];
    expect(Object.keys(config.scalars)).to.have.members(scalars.map(({ name }) => name));
  });
});

describe('Descriptions of times', () => {
  it('name UTC, in every field, argument, property and parameter', async () => {
    const times = [
      ...timesOf(buildSchema(await read('schema.graphql'))),
      ...[...partsOf(JSON.parse(await read('openapi.json')))].filter(([, part]) => isTime(part)),
    ];
    const others = times.filter(([, { description }]) => !/\bUTC\b/.test(String(description)));
    expect(others.map(([path]) => path)).to.deep.equal([]);
    expect(times.length).to.be.above(50);
  });
});

/** The fields and arguments with a time. */
function timesOf(schema: GraphQLSchema): [path: string, described: { description?: unknown }][] {
  const fields = Object.values(schema.getTypeMap()).flatMap(
    (type): (GraphQLField<unknown, unknown> | GraphQLInputField)[] =>
      'getFields' in type ? Object.values(type.getFields()) : [],
  );
  const all = fields.flatMap((field) => [field, ...('args' in field ? field.args : [])]);
  return all.filter(({ type }) => getNamedType(type).name === 'DateTime').map((one) => [one.name, one]);
}

/** Whether a property or a parameter of the OpenAPI document has the pattern of a time. */
function isTime({ schema = {}, pattern = (schema as Json).pattern }: Json): boolean {
  return String(pattern).startsWith('^\\d{4}-\\d{2}-');
}

function undescribed(type: GraphQLNamedType): string[] {
  const fields: GraphQLField<unknown, unknown>[] = 'getFields' in type ? Object.values(type.getFields()) : [];
  const values = 'getValues' in type ? type.getValues() : [];
  const members: Described[] = [...fields, ...values].map(({ name, description }) => ({
    name: `${type.name}.${name}`,
    description,
  }));
  const parameters: Described[] = fields.flatMap((field) =>
    // Fields of input types have no arguments.
    (field.args ?? []).map(({ name, description }) => ({
      name: `${type.name}.${field.name}(${name})`,
      description,
    })),
  );
  return [type, ...members, ...parameters].filter(({ description }) => !description?.trim()).map(({ name }) => name);
}

type Json = { [key: string]: unknown };

/** Keys whose values each need a description, for example `components.responses.INTERNAL_ERROR`. */
const HOLDERS = /^(parameters|headers|schemas|responses|properties|tags|securitySchemes)$/;
const METHODS = /^(get|post|put|patch|delete)$/;

describe('The OpenAPI document', () => {
  it('describes every group, operation, parameter, header, response, schema and property', async () => {
    const found = [...partsOf(JSON.parse(await read('openapi.json')))];
    expect(found.length).to.be.above(500);
    const bare = found.filter(([, part]) => typeof part.description !== 'string' || !part.description.trim());
    expect(bare.map(([path]) => path)).to.deep.equal([]);
  });

  it('gives each operation a description that differs from its summary', async () => {
    const operations = [...partsOf(JSON.parse(await read('openapi.json')))].filter(([, part]) => 'operationId' in part);
    for (const [path, { summary, description }] of operations) {
      expect(String(description), path).to.match(/^[A-Z].{18,400}\.$/);
      expect(String(description), path).not.to.include(String(summary));
    }
  });
});

/**
 * Everything that has to be described, with its path. What is referred to is described where it stands.
 * @param isHolder whether each value in it is a part: a property may be called `tags`, too
 */
function* partsOf(part: unknown, path: readonly string[] = [], isHolder = false): Generator<[string, Json]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    const own = [...path, key];
    const isExample = !isHolder && /^examples?$/.test(key);
    if (isExample || typeof value !== 'object' || value === null || '$ref' in value) continue;
    if (isHolder || METHODS.test(key)) yield [own.join('/'), value as Json];
    yield* partsOf(value, own, !isHolder && HOLDERS.test(key));
  }
}
