/** Generates GraphQL requests from the schema: right and wrong ones, with fragments, aliases, directives and variables. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { HttpRequest } from './http.js';
import { bearer, JSON_TYPE } from './requests.js';
import type { SeededRandom } from './seeded-random.js';

/** Of a document that is meant to be accepted, and of others. */
const SIZE = {
  accepted: { depth: 7, fields: 30, elements: [1, 2, 3] },
  other: { depth: 14, fields: 150, elements: [1, 10, 100] },
};
/** The service accepts 30. */
const MAX_ALIASES = 28;
/** They would end the session or the account that further requests use. */
const WITHOUT_TOKEN = /\b(?:logout|endSession|endOtherSessions|withdraw|refreshTokens)\b/;

const WRONG_SIZES = [0, -1, 101, -100, -2147483648, 2147483647, 3e9, 1.5];
const IDS = ['1', '2', '3', '"1"', '"2"', '999999'];
const WRONG_IDS = ['0', '-1', '"abc"', '99999999999999999999', '""'];

/** @param tokens of members; some requests have none, or a bad one */
export function generateGraphQL(random: SeededRandom, schema: GraphQLSchema, tokens: readonly string[]): HttpRequest {
  const { query, variables } = new DocumentBuilder(random, schema).build();
  const token =
    random.chance(70) && !WITHOUT_TOKEN.test(query) ? random.pick(tokens) : random.chance(10) ? 'nonsense' : undefined;
  const authorization = token === undefined ? {} : bearer(token);
  if (random.chance(10) && query.length + variables.length < 5_000) {
    return { method: 'GET', path: `/graphql?${new URLSearchParams({ query, variables })}`, headers: authorization };
  }
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  if (random.chance(95)) return { path: '/graphql', headers: { ...JSON_TYPE, ...authorization }, body };
  const parts = Object.entries({ operations: body, map: random.chance(50) ? '{}' : random.hostileJson() }).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  return { path: '/graphql', headers: { ...type, ...authorization }, body: `${parts.join('')}--x--` };
}

class DocumentBuilder {
  readonly #random: SeededRandom;
  readonly #schema: GraphQLSchema;
  /** One third of the documents are valid, one third have few errors; most of these are executed. */
  readonly #errors: 'none' | 'few' | 'many';
  readonly #size: (typeof SIZE)['accepted'];
  readonly #fragments: string[] = [];
  readonly #fragmentsByType = new Map<string, string[]>();
  readonly #declarations: string[] = [];
  readonly #values: string[] = [];
  #fields = 0;
  #aliases = 0;
  #fragmentNames = 0;

  constructor(random: SeededRandom, schema: GraphQLSchema) {
    this.#random = random;
    this.#schema = schema;
    this.#errors = random.pick(['none', 'few', 'many']);
    this.#size = random.chance(50) ? SIZE.accepted : SIZE.other;
  }

  /** @returns `variables` as JSON */
  build(): { query: string; variables: string } {
    const random = this.#random;
    const kind = random.chance(82) ? 'query' : random.chance(80) ? 'mutation' : 'subscription';
    const root = {
      query: this.#schema.getQueryType(),
      mutation: this.#schema.getMutationType(),
      subscription: this.#schema.getSubscriptionType(),
    }[kind];
    if (!root) throw new Error(`the schema has no ${kind}`);
    const selection = this.#selection(root, 0);
    if (this.#fault(8)) this.#values.push(`"undeclared":${random.hostileJson()}`);
    const declarations = this.#declarations.length > 0 ? `(${this.#declarations.join(', ')})` : '';
    const query = [`${kind} ${declarations} ${selection}`, ...this.#fragments].join('\n');
    const filler = this.#fault(8)
      ? random.pick(['\n', ' ', ',', '#\n', '\ufeff']).repeat(random.integer(1, 30_000))
      : '';
    return { query: query + filler, variables: `{${this.#values.join(',')}}` };
  }

  /** @param percent the probability of this error at each position of a document with many errors */
  #fault(percent: number): boolean {
    if (this.#errors === 'none' || (this.#errors === 'few' && !this.#random.chance(10))) return false;
    return this.#random.chance(percent);
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const random = this.#random;
    const selections = Array.from({ length: random.integer(1, depth === 0 ? 3 : 6) }, () =>
      this.#selected(type, depth),
    );
    if (this.#fault(1)) selections.push(`unknown${random.integer(1, 99)}`);
    return `{ ${selections.join(' ')} }`;
  }

  #selected(type: GraphQLObjectType, depth: number): string {
    const random = this.#random;
    const isDeep = depth >= this.#size.depth;
    if (!isDeep && random.chance(8))
      return `... on ${type.name} ${this.#directive()} ${this.#selection(type, depth + 1)}`;
    if (!isDeep && random.chance(8)) return `...${this.#fragment(type, depth)} ${this.#directive()}`;
    return this.#field(type, depth, isDeep);
  }

  #field(type: GraphQLObjectType, depth: number, isDeep: boolean): string {
    const random = this.#random;
    if (++this.#fields > this.#size.fields || random.chance(3)) return '__typename';
    if (depth === 0 && random.chance(2)) return '__schema { types { name fields { name type { name } } } }';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => !isObjectType(getNamedType(field.type)));
    const field = random.pick(isDeep && leaves.length > 0 ? leaves : fields);
    const inner = getNamedType(field.type);
    if (isDeep && isObjectType(inner)) return '__typename';
    // Omits a required selection, or adds one to a scalar.
    const hasSelection = isObjectType(inner) !== this.#fault(1);
    const selection = hasSelection ? this.#selection(isObjectType(inner) ? inner : type, depth + 1) : '';
    const alias = this.#alias(field.args.length > 0);
    return `${alias}${field.name}${this.#arguments(field.args)} ${this.#directive()} ${selection}`;
  }

  /** Fields with arguments get one of their own: with different arguments they could not be merged. */
  #alias(hasArguments: boolean): string {
    const random = this.#random;
    if (this.#fault(2)) return `a${random.integer(0, 5)}: `;
    if (this.#aliases >= MAX_ALIASES && !this.#fault(50)) return '';
    return hasArguments || random.chance(10) ? `a${this.#aliases++}: ` : '';
  }

  #fragment(type: GraphQLObjectType, depth: number): string {
    const names = this.#fragmentsByType.get(type.name) ?? [];
    this.#fragmentsByType.set(type.name, names);
    if (names.length > 0 && this.#random.chance(60)) return this.#random.pick(names);
    const name = `F${this.#fragmentNames++}`;
    const mayContainItself = this.#fault(5);
    if (mayContainItself) names.push(name);
    const selection = this.#selection(type, depth + 1);
    if (!mayContainItself) names.push(name);
    this.#fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    return name;
  }

  #directive(): string {
    const random = this.#random;
    if (random.chance(94)) return '';
    if (this.#fault(20))
      return random.pick(['@include', '@skip(if: null)', '@skip(if: 1)', '@unknown(if: true)', '@deprecated']);
    const name = random.pick(['include', 'skip']);
    return `@${name}(if: ${random.chance(50) ? random.pick(['true', 'false']) : this.#variable('Boolean!', random.pick(['true', 'false']))})`;
  }

  #arguments(args: readonly GraphQLArgument[]): string {
    const given = args.filter(
      ({ type, defaultValue, name }) =>
        (isNonNullType(type) && defaultValue === undefined) !== this.#fault(1) || this.#isWanted(name),
    );
    const parts = given.map((arg) => `${arg.name}: ${this.#argumentValue(arg)}`);
    if (this.#fault(1)) parts.push('unknown: 1');
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  /** Invalid cursors, and `first` together with `last`, are errors. */
  #isWanted(name: string): boolean {
    if (['last', 'after', 'before'].includes(name)) return this.#fault(20);
    return this.#random.chance(name === 'first' || name === 'size' ? 70 : 30);
  }

  #argumentValue({ type, name }: GraphQLArgument): string {
    const random = this.#random;
    if (random.chance(55)) return this.#literal(type, name);
    const wrong = ['Int', '[Int!]', 'String!', 'CreateArticleInput', '[[ID]]', 'Nothing'];
    const declared = this.#fault(5) ? random.pick(wrong) : String(type);
    return this.#variable(declared, this.#fault(15) ? random.hostileJson() : this.#json(type, name));
  }

  #variable(type: string, json: string): string {
    const name = `v${this.#declarations.length}`;
    this.#declarations.push(`$${name}: ${type}`);
    if (!this.#fault(4)) this.#values.push(`"${name}":${json}`);
    return `$${name}`;
  }

  /** In the syntax of documents. */
  #literal(type: GraphQLInputType, name: string): string {
    const random = this.#random;
    if (this.#fault(4))
      return random.pick(['null', '[]', '{}', '1', '"x"', 'ENUM', '[[1], {a: 1}]', '""" block """', '$undeclared']);
    if (isNonNullType(type)) return this.#literal(type.ofType, name);
    if (isListType(type)) return `[${this.#several(() => this.#literal(type.ofType, name)).join(' ')}]`;
    if (!isInputObjectType(type)) return this.#scalar(type, name);
    return `{ ${this.#inputFields(type, (field) => `${field.name}: ${this.#literal(field.type, field.name)}`)} }`;
  }

  #json(type: GraphQLInputType, name: string): string {
    if (this.#fault(5)) return this.#random.hostileJson();
    if (isNonNullType(type)) return this.#json(type.ofType, name);
    if (isListType(type)) return `[${this.#several(() => this.#json(type.ofType, name)).join(',')}]`;
    if (isEnumType(type)) return JSON.stringify(this.#scalar(type, name));
    if (!isInputObjectType(type)) return this.#scalar(type, name);
    return `{${this.#inputFields(type, (field) => `"${field.name}":${this.#json(field.type, field.name)}`)}}`;
  }

  #several(make: () => string): string[] {
    return Array.from({ length: this.#random.integer(0, this.#errors === 'many' ? 14 : 4) }, make);
  }

  #inputFields(type: GraphQLInputObjectType, write: (field: GraphQLInputField) => string): string {
    const fields = Object.values(type.getFields());
    const given = fields.filter((field) =>
      isNonNullType(field.type) ? !this.#fault(2) : field.name !== 'image' && this.#random.chance(40),
    );
    return given.map(write).join(', ');
  }

  /** Both a literal and, apart from enums, JSON. */
  #scalar(type: GraphQLInputType, name: string): string {
    const random = this.#random;
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    switch (String(type)) {
      case 'Int':
        return String(this.#fault(25) ? random.pick(WRONG_SIZES) : random.pick(this.#size.elements));
      case 'ID':
        return this.#fault(20) ? random.pick(WRONG_IDS) : random.pick(IDS);
      case 'Boolean':
        return random.pick(['true', 'false']);
      default:
        return this.#string(name);
    }
  }

  #string(name: string): string {
    const random = this.#random;
    if (name === 'keyword')
      return JSON.stringify(random.pick(['a', 'sentence', 'zz yy xx', '글', '%', 'a b c d e f g h i j']));
    if (!this.#fault(30))
      return JSON.stringify(random.pick(['x', 'some words', 'a@example.org', 'x'.repeat(300), 'a password']));
    // GraphQL strings have the escapes of JSON strings, except for lone surrogates.
    return JSON.stringify(random.text(60));
  }
}
