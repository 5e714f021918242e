/** Generates GraphQL requests from the schema: right and wrong ones, with fragments, aliases, directives and variables. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
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
import type { Draw } from './draw.js';
import type { HttpRequest } from './http.js';
import { bearer, JSON_TYPE } from './requests.js';

const MAX_DEPTH = 14;
const MAX_FIELDS = 150;
/** They would end the session or the account that further requests use. */
const WITHOUT_TOKEN = /\b(?:logout|endSession|endOtherSessions|withdraw|refreshTokens)\b/;

const SIZES = [1, 2, 10, 50, 100, 0, -1, 101, -100, -2147483648, 2147483647, 3e9, 1.5];
const IDS = ['1', '2', '3', '"1"', '"2"', '999999', '0', '-1', '"abc"', '99999999999999999999', '""'];

/** @param tokens of members; some requests have none, or a bad one */
export function generateGraphQL(draw: Draw, schema: GraphQLSchema, tokens: readonly string[]): HttpRequest {
  const { query, variables } = new DocumentBuilder(draw, schema).build();
  const token =
    draw.chance(70) && !WITHOUT_TOKEN.test(query) ? draw.pick(tokens) : draw.chance(10) ? 'nonsense' : undefined;
  const authorization = token === undefined ? {} : bearer(token);
  if (draw.chance(10) && query.length + variables.length < 5_000) {
    return { method: 'GET', path: `/graphql?${new URLSearchParams({ query, variables })}`, headers: authorization };
  }
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  if (draw.chance(95)) return { path: '/graphql', headers: { ...JSON_TYPE, ...authorization }, body };
  const parts = Object.entries({ operations: body, map: draw.chance(50) ? '{}' : draw.hostileJson() }).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  return { path: '/graphql', headers: { ...type, ...authorization }, body: `${parts.join('')}--x--` };
}

class DocumentBuilder {
  readonly #draw: Draw;
  readonly #schema: GraphQLSchema;
  readonly #fragments: string[] = [];
  readonly #fragmentsByType = new Map<string, string[]>();
  readonly #declarations: string[] = [];
  readonly #values: string[] = [];
  #fields = 0;

  constructor(draw: Draw, schema: GraphQLSchema) {
    this.#draw = draw;
    this.#schema = schema;
  }

  /** @returns `variables` as JSON */
  build(): { query: string; variables: string } {
    const draw = this.#draw;
    const kind = draw.chance(82) ? 'query' : draw.chance(80) ? 'mutation' : 'subscription';
    const root = {
      query: this.#schema.getQueryType(),
      mutation: this.#schema.getMutationType(),
      subscription: this.#schema.getSubscriptionType(),
    }[kind];
    if (!root) throw new Error(`the schema has no ${kind}`);
    const selection = this.#selection(root, 0);
    if (draw.chance(4)) this.#values.push(`"undeclared":${draw.hostileJson()}`);
    const declarations = this.#declarations.length > 0 ? `(${this.#declarations.join(', ')})` : '';
    const query = [`${kind} ${declarations} ${selection}`, ...this.#fragments].join('\n');
    const noise = draw.chance(5) ? draw.pick(['\n', ' ', ',', '#\n', '\ufeff']).repeat(draw.integer(1, 30_000)) : '';
    return { query: query + noise, variables: `{${this.#values.join(',')}}` };
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const draw = this.#draw;
    const selections = Array.from({ length: draw.integer(1, depth === 0 ? 3 : 6) }, () => this.#selected(type, depth));
    if (draw.chance(2)) selections.push(`unknown${draw.integer(1, 99)}`);
    return `{ ${selections.join(' ')} }`;
  }

  #selected(type: GraphQLObjectType, depth: number): string {
    const draw = this.#draw;
    if (depth < MAX_DEPTH && draw.chance(8))
      return `... on ${type.name} ${this.#directive()} ${this.#selection(type, depth + 1)}`;
    if (depth < MAX_DEPTH && draw.chance(8)) return `...${this.#fragment(type, depth)} ${this.#directive()}`;
    return this.#field(type, depth);
  }

  #field(type: GraphQLObjectType, depth: number): string {
    const draw = this.#draw;
    if (++this.#fields > MAX_FIELDS || draw.chance(3)) return '__typename';
    if (depth === 0 && draw.chance(3)) return '__schema { types { name fields { name type { name } } } }';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => !isObjectType(getNamedType(field.type)));
    const field = draw.pick(depth >= MAX_DEPTH && leaves.length > 0 ? leaves : fields);
    const alias = draw.chance(25) ? `a${draw.integer(1, 40)}: ` : '';
    const inner = getNamedType(field.type);
    // Now and then a selection is missing, or one too many.
    const isComposite = isObjectType(inner) ? !draw.chance(1) : draw.chance(1);
    const selection = isComposite ? this.#selection(isObjectType(inner) ? inner : type, depth + 1) : '';
    return `${alias}${field.name}${this.#arguments(field.args)} ${this.#directive()} ${selection}`;
  }

  #fragment(type: GraphQLObjectType, depth: number): string {
    const known = this.#fragmentsByType.get(type.name) ?? [];
    this.#fragmentsByType.set(type.name, known);
    if (known.length > 0 && this.#draw.chance(60)) return this.#draw.pick(known);
    const name = `F${type.name}${known.length}`;
    const selection = this.#selection(type, depth + 1);
    // Only now: otherwise most fragments would contain themselves.
    if (this.#draw.chance(97)) known.push(name);
    this.#fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    return name;
  }

  #directive(): string {
    const draw = this.#draw;
    if (draw.chance(94)) return '';
    const condition = draw.chance(50)
      ? draw.pick(['true', 'false', '1', 'null'])
      : this.#variable('Boolean!', draw.pick(['true', 'false', 'null', '[]']));
    return `@${draw.pick(['include', 'skip', 'skip', 'include', 'unknown'])}(if: ${condition})`;
  }

  #arguments(args: readonly GraphQLArgument[]): string {
    const draw = this.#draw;
    const given = args.filter((arg) =>
      isNonNullType(arg.type) && arg.defaultValue === undefined ? !draw.chance(2) : draw.chance(40),
    );
    const parts = given.map((arg) => `${arg.name}: ${this.#argumentValue(arg)}`);
    if (draw.chance(1)) parts.push('unknown: 1');
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  #argumentValue(arg: GraphQLArgument): string {
    const draw = this.#draw;
    if (!draw.chance(45)) return this.#literal(arg.type, arg.name);
    const type = draw.chance(90)
      ? String(arg.type)
      : draw.pick(['Int', '[Int!]', 'String!', 'CreateArticleInput', '[[ID]]', 'Nothing']);
    return this.#variable(type, draw.chance(80) ? this.#json(arg.type, arg.name) : draw.hostileJson());
  }

  #variable(type: string, json: string): string {
    const name = `v${this.#declarations.length}`;
    this.#declarations.push(`$${name}: ${type}`);
    if (this.#draw.chance(95)) this.#values.push(`"${name}":${json}`);
    return `$${name}`;
  }

  /** In the syntax of documents; mostly of the type. */
  #literal(type: GraphQLInputType, name: string): string {
    const draw = this.#draw;
    if (draw.chance(6))
      return draw.pick(['null', '[]', '{}', '1', '"x"', 'ENUM', '[[1], {a: 1}]', '""" block """', '$undeclared']);
    if (isNonNullType(type)) return this.#literal(type.ofType, name);
    if (isListType(type))
      return `[${Array.from({ length: draw.integer(0, 12) }, () => this.#literal(type.ofType, name)).join(' ')}]`;
    if (isInputObjectType(type))
      return `{ ${this.#inputFields(Object.values(type.getFields()), (field) => `${field.name}: ${this.#literal(field.type, field.name)}`).join(', ')} }`;
    return this.#scalar(type, name);
  }

  #json(type: GraphQLInputType, name: string): string {
    const draw = this.#draw;
    if (draw.chance(8)) return draw.hostileJson();
    if (isNonNullType(type)) return this.#json(type.ofType, name);
    if (isListType(type))
      return `[${Array.from({ length: draw.integer(0, 12) }, () => this.#json(type.ofType, name)).join(',')}]`;
    if (isInputObjectType(type))
      return `{${this.#inputFields(Object.values(type.getFields()), (field) => `"${field.name}":${this.#json(field.type, field.name)}`).join(',')}}`;
    const text = this.#scalar(type, name);
    return /^-?[\d.e+]+$|^"|^true$|^false$/.test(text) ? text : JSON.stringify(text);
  }

  #inputFields(fields: GraphQLInputField[], write: (field: GraphQLInputField) => string): string[] {
    return fields
      .filter((field) => (isNonNullType(field.type) ? !this.#draw.chance(2) : this.#draw.chance(40)))
      .map(write);
  }

  /** Both a literal and, apart from enums, JSON. */
  #scalar(type: GraphQLInputType, name: string): string {
    const draw = this.#draw;
    if (isEnumType(type)) return draw.pick(type.getValues()).name;
    switch (String(type)) {
      case 'Int':
        return String(draw.pick(SIZES));
      case 'ID':
        return draw.pick(IDS);
      case 'Boolean':
        return draw.pick(['true', 'false']);
      default:
        return this.#string(name);
    }
  }

  #string(name: string): string {
    const draw = this.#draw;
    if (name === 'keyword')
      return JSON.stringify(draw.pick(['a', 'sentence', 'zz yy xx', '글', '%', 'a b c d e f g h i j']));
    if (draw.chance(70))
      return JSON.stringify(draw.pick(['x', 'some words', 'a@example.org', 'x'.repeat(300), 'a password']));
    return JSON.stringify(draw.text(60));
  }
}
