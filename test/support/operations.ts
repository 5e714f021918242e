/** Every operation of both APIs, every tool and every other route, each with the values that its parameters take: a new operation is included by itself. */
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { rootField } from '../../src/graphql/root-fields.js';
import { scopesOf, scopesOfRoot } from '../../src/graphql/scope-needs.js';
import { compileTools, isPermitted } from '../../src/mcp/compile.js';
import type { Scope } from '../../src/models/session/api-token.js';
import type { Route } from '../../src/platform/http/router.js';
import { compileApi } from '../../src/rest/api.js';
import type { Viewer } from '../../src/services/auth/policy.js';
import { timeIn } from './drafts.js';

/** What a parameter refers to: a text, */
const KINDS = ['article', 'comment', 'draft', 'notification', 'image'] as const;
/** or what a private text may have in common with public ones. */
const PUBLIC_KINDS = ['member', 'nickname', 'category', 'series', 'tag', 'keyword', 'slug', 'shareToken'] as const;
export type TextKind = (typeof KINDS)[number];
export type Kind = TextKind | (typeof PUBLIC_KINDS)[number];

export interface Slot {
  readonly name: string;
  readonly isRequired: boolean;
  /** A kind, or all values to send; empty if there are none. */
  readonly values: Kind | readonly unknown[];
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly accept?: string;
}

export type Values = Readonly<Record<string, unknown>>;
/** Null: those of a session, which may do everything. */
export type Scopes = ReadonlySet<Scope> | null;

export interface Operation {
  /** Such as `GET /api/articles/{articleId}`, `Query.article` or `the tool read_article`. */
  readonly name: string;
  readonly isWrite: boolean;
  readonly isPublic: boolean;
  mayCall(scopes: Scopes): boolean;
  readonly slots: readonly Slot[];
  /** @param depth of a selection of all fields of a query; 2 if absent */
  request(values: Values, scopes: Scopes, depth?: number): ApiRequest;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is read without a type, as by its clients.
type Json = any;

const DAY = 86_400;

/** The values of parameters by name; those of an id without a name of its own follow from the operation. */
const BY_NAME: Readonly<Record<string, Slot['values']>> = {
  articleId: 'article',
  commentId: 'comment',
  parentCommentId: 'comment',
  parentId: 'comment',
  draftId: 'draft',
  imageId: 'image',
  memberId: 'member',
  nickname: 'nickname',
  categoryId: 'category',
  seriesId: 'series',
  translationOf: 'article',
  language: ['ko', 'en-GB'],
  articleIds: 'article',
  keyword: 'keyword',
  tag: 'tag',
  slug: 'slug',
  token: 'shareToken',
  page: [1],
  size: [50, 3],
  first: [3],
  last: [],
  after: [],
  before: [],
  number: [1],
  part: [1],
  unreadOnly: [true],
  held: [true],
  scheduled: [true, false],
  visibility: ['PRIVATE', 'PUBLIC'],
  baseRevision: [1],
  expiresIn: [3600],
  from: ['2020-01-01T00:00:00'],
  to: ['2099-12-31T00:00:00'],
  publishAt: [timeIn(DAY)],
  tags: [['sea']],
  // Of operations about accounts, which do not refer to texts.
  provider: [],
  passkeyId: [],
  sessionId: [],
  decisionId: [1],
  appealId: [1],
  styleId: [],
  webhookId: [1],
  type: [],
  name: [],
  customStyleId: [],
  // Without them, changes are all that is public.
  since: ['latest'],
  types: ['article', 'article,comment'],
};

/** Of statistics. */
const DAYS: Readonly<Record<string, Slot['values']>> = {
  from: [timeIn(-30 * DAY).slice(0, 10)],
  to: [timeIn(DAY).slice(0, 10)],
};

const PUBLIC_TYPES: Readonly<Record<string, Kind>> = { Member: 'member', Category: 'category' };
const ID_TYPES: Readonly<Record<string, Kind>> = {
  ...PUBLIC_TYPES,
  ...{ Article: 'article', Comment: 'comment', Draft: 'draft', Notification: 'notification', Image: 'image' },
};
/** Types of the account, which do not refer to texts. */
const OTHER_TYPES = ['CustomStyle', 'Passkey', 'Session', 'ApiToken'];

export function isTextKind(values: Slot['values']): values is TextKind {
  return KINDS.some((kind) => kind === values);
}

/** @throws Error for a parameter that the test does not know */
export async function allOperations(
  { url, routes }: { url: string; routes: readonly Pick<Route, 'method' | 'path'>[] },
  schema: GraphQLSchema,
): Promise<Operation[]> {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((root) => (root ? [root] : []));
  return [
    ...restOperations(document),
    ...routes
      .filter(({ method, path }) => method === 'GET' && !/^\/api\/|^\/graphql$|\.(?:js|css|png|svg)$/.test(path))
      .map(({ path }) => pageOperation(path)),
    ...roots.flatMap((root) => Object.values(root.getFields()).map((field) => graphqlOperation(root, field))),
    ...toolOperations(),
  ];
}

function toolOperations(): Operation[] {
  return [...compileTools(compileApi()).values()].map((tool) => {
    const { name, inputSchema, annotations } = tool.definition;
    const required = inputSchema.required as string[];
    const properties = Object.entries(inputSchema.properties as Record<string, Json>);
    return {
      name: `the tool ${name}`,
      isWrite: !annotations.readOnlyHint,
      isPublic: isPermitted(tool, null),
      mayCall: (scopes) => isPermitted(tool, { scopes } as Viewer),
      slots: properties.map(([argument, schema]) => {
        const isRequired = required.includes(argument);
        if (argument in BY_NAME || schema.enum || schema.type === 'boolean')
          return slotOf(name, argument, schema, isRequired);
        return { name: argument, isRequired, values: isRequired ? ['Words'] : [] };
      }),
      request: (values) => ({
        method: 'POST',
        path: '/mcp',
        accept: 'application/json, text/event-stream',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } }),
      }),
    };
  });
}

function restOperations(document: Json): Operation[] {
  const paths = Object.entries<Json>(document.paths);
  return paths.flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const body = operation.requestBody?.content['application/json'];
      const own = operation.parameters.filter((one: Json) => one.in === 'path' || one.in === 'query');
      const given = own.map((one: Json) => slotOf(name, one.name, one.schema, one.required));
      const fields = Object.entries<Json>(body?.schema.properties ?? {}).filter(([field]) => /Ids?$/.test(field));
      const nullable = fields.map(([field, schema]) => slotOf(name, field, schema, false));
      const scopes: Scope[][] = operation.security.flatMap((one: Json) => one.apiToken ?? []);
      const isPublic = operation.security.length === 0;
      return {
        name,
        isWrite: method !== 'get',
        isPublic,
        mayCall: (of) => isPublic || of === null || scopes.flat().some((scope) => of.has(scope)),
        slots: [...given, ...nullable],
        request: (values) => {
          const inPath = (name: string) => path.includes(`{${name}}`);
          const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
          const isIn = (slots: readonly Slot[]) => (entry: [string, unknown]) => slots.some((s) => s.name === entry[0]);
          const query = Object.entries(values).filter((entry) => isIn(given)(entry) && !inPath(entry[0]));
          const target = query.length > 0 ? `${filled}?${new URLSearchParams(query as [string, string][])}` : filled;
          const inBody = Object.fromEntries(Object.entries(values).filter(isIn(nullable)).map(asSent));
          // The ids in the example are those of other texts.
          const example = Object.entries(body?.example ?? {}).filter(([field]) => !/Ids?$/.test(field));
          const json = { ...Object.fromEntries(example), ...inBody };
          return { method: method.toUpperCase(), path: target, ...(body && { body: JSON.stringify(json) }) };
        },
      };
    }),
  );
}

function slotOf(operation: string, name: string, schema: Json, isRequired: boolean): Slot {
  if (schema?.enum && !(name in BY_NAME)) return { name, isRequired, values: schema.enum };
  if (name === 'include') return { name, isRequired, values: partsIn(schema.pattern) };
  if (schema?.type === 'boolean') return { name, isRequired, values: [true, false] };
  if (name !== 'id') return { name, isRequired, values: valuesOf(operation, name) };
  if (operation.includes('/notifications/')) return { name, isRequired, values: 'notification' };
  if (operation.includes('/members/')) return { name, isRequired, values: operation.includes('/feed') ? 'member' : [] };
  throw new Error(`test/support/operations.ts does not know the id of ${operation}`);
}

/** All values of a list with commas, with and without that which needs a scope. */
function partsIn(pattern: string): string[] {
  const parts = /\((.*?)\)/.exec(pattern)?.[1]?.split('|') ?? [];
  const others = parts.filter((part) => part !== 'viewer');
  return [parts, others].filter(({ length }) => length > 0).map(String);
}

function valuesOf(operation: string, name: string): Slot['values'] {
  const values = /statistics/i.test(operation) && name in DAYS ? DAYS[name] : BY_NAME[name];
  if (!values) throw new Error(`test/support/operations.ts has no values for the parameter ${name} of ${operation}`);
  return values;
}

/** Feeds, the sitemap, and pages. */
function pageOperation(path: string): Operation {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    name: `GET ${path}`,
    isWrite: false,
    isPublic: true,
    mayCall: () => true,
    slots: names.map((name) => slotOf(path, name, undefined, true)),
    request: (values) => ({
      method: 'GET',
      path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name]))),
    }),
  };
}

function graphqlOperation(root: GraphQLObjectType, field: GraphQLField<unknown, unknown>): Operation {
  const isWrite = root.name === 'Mutation';
  const slots = field.args.flatMap(({ name, type, defaultValue }) =>
    inputSlots(field, name, type, isNonNullType(type) && defaultValue === undefined),
  );
  const allowed = scopesOfRoot(field);
  return {
    name: `${root.name}.${field.name}`,
    isWrite,
    isPublic: allowed?.length === 0 && !rootField(isWrite ? 'mutation' : 'query', field.name).isAuthorized,
    mayCall: (of) => of === null || allowed?.length === 0 || (allowed ?? []).some((scope) => of.has(scope)),
    slots,
    request: (values, scopes, depth = 2) => {
      const given = field.args.filter(
        ({ name, type, defaultValue }) =>
          (isNonNullType(type) && defaultValue === undefined) ||
          Object.keys(values).some((key) => key.split('.')[0] === name),
      );
      const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
      const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
      const selection = selectionOf(field.type, isWrite ? 1 : depth, scopes, field.name);
      const head = `${isWrite ? 'mutation' : 'query'}${declared && ` (${declared})`}`;
      const query = `${head} { ${field.name}${passed && `(${passed})`} ${selection} }`;
      const variables = {
        ...Object.fromEntries(given.map(({ name }) => [name, {}])),
        ...nest(values),
      };
      return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) };
    },
  };
}

/** The fields of an input object are slots, named `input.field`. */
function inputSlots(
  field: GraphQLField<unknown, unknown>,
  name: string,
  type: GraphQLInputType,
  isRequired: boolean,
): Slot[] {
  const named = getNamedType(type);
  const last = name.split('.').at(-1) ?? '';
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((one) =>
      inputSlots(field, `${name}.${one.name}`, one.type, isRequired && isNonNullType(one.type)),
    );
  }
  if (last === 'id') return [{ name, isRequired, values: kindOfResult(field) }];
  if (isEnumType(named)) return [{ name, isRequired, values: named.getValues().map((one) => one.name) }];
  if (named.name === 'Boolean') return [{ name, isRequired, values: [true, false] }];
  if (/^(?:from|to)$|At$/.test(last)) return [{ name, isRequired, values: momentsOf(field.name, last) }];
  // That of decisions is a text.
  if (last === 'ifRevision' && named.name === 'Int') return [{ name, isRequired, values: [1, 2] }];
  if (named.name === 'String' && !(last in BY_NAME)) return [{ name, isRequired, values: isRequired ? ['Words'] : [] }];
  if (!['String', 'ID', 'Int'].includes(named.name)) return [{ name, isRequired, values: [] }];
  return [{ name, isRequired, values: valuesOf(field.name, last) }];
}

function kindOfResult({ name, type }: GraphQLField<unknown, unknown>): Slot['values'] {
  if (/series/i.test(name)) return 'series';
  const result = getNamedType(type).name;
  const kind = ID_TYPES[result];
  if (kind) return kind;
  if (/draft/i.test(name)) return 'draft';
  if (/article/i.test(name)) return 'article';
  if (/webhook/i.test(name)) return valuesOf(name, 'webhookId');
  if (name === 'decision') return valuesOf(name, 'decisionId');
  if (OTHER_TYPES.includes(result) || result.includes('Webhook')) return [];
  throw new Error(`test/support/operations.ts does not know the id of ${name}`);
}

/** GraphQL times have a time zone, days have none. */
function momentsOf(operation: string, name: string): string[] {
  const values = name in BY_NAME ? valuesOf(operation, name) : [];
  return typeof values === 'string' ? [] : values.map((value) => (`${value}`.includes('T') ? `${value}Z` : `${value}`));
}

/** A list of ids has one. */
function asSent([name, value]: [string, unknown]): [string, unknown] {
  return [name, name.endsWith('Ids') ? [value] : value];
}

/** `a.b` becomes an object. */
function nest(values: Values): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    const parent = path.reduce((object, key) => {
      object[key] ??= {};
      return object[key] as Record<string, unknown>;
    }, nested);
    Object.assign(parent, Object.fromEntries([asSent([last, value])]));
  }
  return nested;
}

/** Lists and their elements do not count as levels. */
const THROUGH = ['contents', 'edges', 'node', 'pageInfo', 'pagination'];

/** By the scopes of a reader, the type and the depth: most requests select the same fields. */
const selections = new WeakMap<object, Map<string, string>>();
const OF_SESSIONS = {};

const EMPTY = '{  }';

/** All fields that these scopes may read, to a depth. */
function selectionOf(type: GraphQLField<unknown, unknown>['type'], depth: number, scopes: Scopes, root = ''): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const known = selections.get(scopes ?? OF_SESSIONS) ?? new Map<string, string>();
  selections.set(scopes ?? OF_SESSIONS, known);
  const key = `${named.name} ${depth} ${root}`;
  const selection = known.get(key) ?? selectionOfFields(named, depth, scopes, root);
  known.set(key, selection);
  return selection;
}

/** @param root the root field that directly contains the selection */
function selectionOfFields(type: GraphQLObjectType, depth: number, scopes: Scopes, root: string): string {
  const fields = Object.values(type.getFields())
    .filter((field) => {
      const roots = field.extensions.directlyIn as readonly string[] | undefined;
      if (roots && !roots.includes(root)) return false;
      const needed = scopesOf(field);
      return scopes === null || needed.length === 0 || needed.some((scope) => scopes.has(scope));
    })
    .flatMap((field) => {
      const isObject = isObjectType(getNamedType(field.type));
      const left = THROUGH.includes(field.name) ? depth : depth - 1;
      if (isObject && left < 0) return [];
      const size = field.args.some(({ name }) => name === 'first') ? '(first: 3)' : '';
      const nested = isObject ? selectionOf(field.type, left, scopes) : '';
      // The objects in it are too deep.
      return nested === EMPTY ? [] : [`${field.name}${size} ${nested}`];
    });
  return `{ ${fields.join(' ')} }`;
}
