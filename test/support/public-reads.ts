/** Generates public reads: REST requests with all parameters, feeds, the sitemap, Markdown files, and GraphQL documents from the schema. */
import { createHash } from 'node:crypto';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { toolCall } from '../hostile/requests.js';
import type { SeededRandom } from '../hostile/seeded-random.js';

export interface PublicRead {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For a persisted query: replaces these parts if the service does not know the document. */
  readonly withDocument?: { readonly path: string; readonly body?: string };
}

/** Objects that a read can select; some of them were deleted. */
export interface Readable {
  readonly articleIds: readonly number[];
  readonly commentIds: readonly number[];
  readonly memberIds: readonly number[];
  readonly categoryIds: readonly number[];
  readonly seriesIds: readonly number[];
  readonly nicknames: readonly string[];
  /** From earlier responses. */
  readonly cursors: readonly string[];
}

export const TAGS = ['sea', 'land', 'Sky'] as const;
export const WORDS = ['lighthouse', 'harbor', '등대'] as const;
/** Of articles that generated writes can create, rename and delete. */
const SLUGS = ['tagged', 'pictured', 'title-1', 'title-2', 'title-3'] as const;
/** The value of CORS_ORIGINS for the services that are read. */
export const ALLOWED_ORIGIN = 'https://example.org';

/** Before and after all articles. */
const TIMES = ['2020-01-01T00:00:00', '2099-12-31T23:59:59'] as const;
const OTHER_ROOT_FIELDS = ['loginProviders { provider }', '__typename', '__schema { queryType { name } }', 'me { id }'];
const MAX_DEPTH = 4;
const MISSING_ID = 999_999;

/** @param schema with the extensions that declare stamps: its public queries are read */
export function generateRead(random: SeededRandom, schema: GraphQLSchema, readable: Readable): PublicRead {
  const kind = random.integer(1, 105);
  if (kind > 100) return toolRead(random, readable);
  if (kind <= 45) return graphqlRead(random, new DocumentBuilder(random, schema, readable).build());
  const path = kind <= 88 ? restPath(random, readable) : feedPath(random, readable);
  return { method: random.chance(6) ? 'HEAD' : 'GET', path, headers: commonHeaders(random) };
}

function toolRead(random: SeededRandom, readable: Readable): PublicRead {
  const articleId = Number(idOf(random, readable.articleIds));
  const size = random.integer(1, 6);
  const [name, args] = random.pick<[string, object]>([
    ['search_articles', { keyword: random.pick(WORDS), size }],
    ['list_articles', { tag: random.pick(TAGS), size }],
    ['read_article', { articleId }],
    ['read_article', { slug: random.pick(SLUGS) }],
    ['read_comments', { articleId, size }],
  ]);
  const { path, headers, body } = toolCall(name, args);
  return { method: 'POST', path, headers: { ...commonHeaders(random), ...headers }, body };
}

function commonHeaders(random: SeededRandom): Record<string, string> {
  return {
    ...(random.chance(30) && { 'Accept-Language': random.pick(['ko', 'en', 'de, ko;q=0.5']) }),
    ...(random.chance(15) && { Origin: random.pick([ALLOWED_ORIGIN, 'https://example.com']) }),
    ...(random.chance(60) && { 'Accept-Encoding': random.pick(['gzip', 'br', 'identity']) }),
  };
}

export const LANGUAGES = ['ko', 'ko-KR', 'en', 'fr'];

function restPath(random: SeededRandom, readable: Readable): string {
  const article = `/api/articles/${idOf(random, readable.articleIds)}`;
  const parameters: [string, string][] = [];
  const add = (name: string, percent: number, value: () => unknown) =>
    random.chance(percent) && parameters.push([name, String(value())]);
  const path = random.pick([
    ...['/api/articles', '/api/articles', article, `${article}/summary`, `${article}/comments`],
    ...[
      `${article}/rendered`,
      `${article}/markdown`,
      `${article}/related`,
      '/api/articles/archive',
      '/api/tags',
      `/api/members/${idOf(random, readable.memberIds)}`,
    ],
    `/api/comments/${idOf(random, readable.commentIds)}/replies`,
    `/api/comments/${idOf(random, readable.commentIds)}`,
    `/api/members/${idOf(random, readable.memberIds)}/categories`,
    `/api/members/${idOf(random, readable.memberIds)}/series`,
    ...[`/api/series/${idOf(random, readable.seriesIds)}`, `/api/series/${idOf(random, readable.seriesIds)}`],
    `/api/members/by-nickname/${encodeURIComponent(random.pick(readable.nicknames))}`,
  ]);
  if (/tags$|archive$/.test(path)) add('memberId', 50, () => idOf(random, readable.memberIds));
  if (/comments\/\d+$/.test(path)) add('size', 50, () => random.integer(1, 4));
  if (/(?:articles|comments|replies|tags|series|series\/\d+)$/.test(path)) {
    add('page', 25, () => random.integer(1, 3));
    add('size', 70, () => (random.chance(3) ? 101 : random.integer(1, 12)));
  }
  if (path === '/api/articles') {
    const orders = ['createdAt', 'updatedAt', 'title', 'commentCount'];
    const isByCount = random.chance(20);
    if (isByCount) parameters.push(['sort', `${random.pick(['likeCount', 'viewCount'])},desc`]);
    else add('sort', 50, () => `${random.pick(orders)},${random.pick(['asc', 'desc'])}`);
    if (isByCount) add('period', 50, () => random.pick(['day', 'week', 'month']));
    add('include', 25, () => random.pick(['content', 'contentHtml', 'content,contentHtml']));
    add('keyword', 15, () => random.pick(WORDS));
    add('tag', 20, () => random.pick(TAGS));
    add('language', 20, () => random.pick(LANGUAGES));
    add('memberId', 20, () => idOf(random, readable.memberIds));
    add('categoryId', 20, () => idOf(random, readable.categoryIds));
    add('from', 15, () => random.pick(TIMES));
    add('to', 15, () => random.pick(TIMES));
  }
  return parameters.length > 0 ? `${path}?${new URLSearchParams(parameters)}` : path;
}

function feedPath(random: SeededRandom, { memberIds }: Readable): string {
  const folder = random.pick(['', `/members/${idOf(random, memberIds)}`, `/tags/${random.pick(TAGS)}`]);
  if (random.chance(30)) return `/articles/${random.pick(SLUGS)}.md`;
  return random.chance(30)
    ? random.pick(['/sitemap.xml', '/llms.txt'])
    : `${folder}/feed.${random.pick(['xml', 'atom', 'json'])}${random.chance(30) ? `?language=${random.pick(LANGUAGES)}` : ''}`;
}

function graphqlRead(random: SeededRandom, { query, variables }: { query: string; variables: object }): PublicRead {
  const types = ['application/json', 'application/graphql-response+json', '*/*', 'text/html', 'text/plain'];
  const headers = { ...commonHeaders(random), ...(random.chance(25) && { Accept: random.pick(types) }) };
  const name = random.chance(90) ? undefined : random.pick(['Q', '', 'Other']);
  const given = Object.keys(variables).length > 0 || random.chance(20);
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = random.chance(20) ? { persistedQuery: { version: 1, sha256Hash } } : undefined;
  if (random.chance(50)) {
    const others = {
      ...(given ? { variables } : random.chance(5) && { variables: random.pick([null, [], '{}']) }),
      ...(name !== undefined && { operationName: name }),
      extensions,
    };
    const type = { 'Content-Type': 'application/json' };
    const parts = (document: object) => ({ path: '/graphql', body: JSON.stringify({ ...document, ...others }) });
    return { method: 'POST', headers: { ...headers, ...type }, ...persisted(extensions !== undefined, query, parts) };
  }
  const parameters = new URLSearchParams();
  if (extensions) parameters.append('extensions', JSON.stringify(extensions));
  if (given) parameters.append('variables', JSON.stringify(variables));
  else if (random.chance(5)) parameters.append('variables', random.pick(['null', '[]', '', '1']));
  if (name !== undefined) parameters.append('operationName', name);
  if (random.chance(3)) parameters.append(random.pick(['query', 'variables', 'operationName']), '{ __typename }');
  const parts = (document: object) => ({
    path: `/graphql?${new URLSearchParams([...Object.entries(document), ...parameters])}`,
  });
  // The error for an unknown document is only in the body.
  const method = !extensions && random.chance(6) ? 'HEAD' : 'GET';
  return { method, headers, ...persisted(extensions !== undefined, query, parts) };
}

type Parts = NonNullable<PublicRead['withDocument']>;

function persisted(isPersisted: boolean, query: string, parts: (document: object) => Parts) {
  return isPersisted ? { ...parts({}), withDocument: parts({ query }) } : parts({ query });
}

class DocumentBuilder {
  readonly #variables = new Map<string, { type: string; value: unknown }>();
  readonly #fragments: string[] = [];
  #aliases = 0;

  constructor(
    private readonly random: SeededRandom,
    private readonly schema: GraphQLSchema,
    private readonly readable: Readable,
  ) {}

  build(): { query: string; variables: object } {
    const { random } = this;
    const fields = Object.values(this.schema.getQueryType()?.getFields() ?? {});
    // Pages of changes differ as soon as one of the processes gives numbers.
    const stamped = fields.filter(({ name, extensions }) => extensions.stamps && name !== 'changes');
    const roots = Array.from({ length: random.chance(75) ? 1 : random.integer(2, 3) }, () => {
      return random.chance(3) ? random.pick(OTHER_ROOT_FIELDS) : this.#field(random.pick(stamped), 0);
    });
    const isFragment = random.chance(10);
    if (isFragment) this.#fragments.push(`fragment Root on Query { ${roots.join(' ')} }`);
    const declarations = [...this.#variables].map(([name, { type }]) => `$${name}: ${type}`);
    const declared = declarations.length > 0 ? `(${declarations.join(', ')})` : '';
    const query = `query Q${declared} { ${isFragment ? '...Root' : roots.join(' ')} } ${this.#fragments.join(' ')}`;
    return { query, variables: Object.fromEntries([...this.#variables].map(([name, { value }]) => [name, value])) };
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const { random } = this;
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => !isObjectType(getNamedType(field.type)));
    const objects = fields.filter((field) => !leaves.includes(field) && !['parent', 'article'].includes(field.name));
    const chosen = [
      ...leaves.filter(() => random.chance(30)),
      // Lists and their elements are of interest; parent and article return to what is already selected.
      ...(depth < MAX_DEPTH
        ? objects.filter((field) => random.chance(/^(?:contents|edges|node)$/.test(field.name) ? 95 : 25))
        : []),
      ...(depth < MAX_DEPTH
        ? fields.filter(({ name }) => ['parent', 'article'].includes(name) && random.chance(15))
        : []),
    ];
    const text = chosen.map((field) => this.#field(field, depth)).join(' ');
    return `{ ${random.chance(10) ? '__typename ' : ''}${text || '__typename'} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const { random } = this;
    const type = getNamedType(field.type);
    const alias = random.chance(6) || depth === 0 ? `a${this.#aliases++}: ` : '';
    const directive = random.chance(4) ? this.#directive() : '';
    const head = `${alias}${field.name}${this.#arguments(field)}${directive}`;
    if (!isObjectType(type)) return head;
    const selection = this.#selection(type, depth + 1);
    if (random.chance(85)) return `${head} ${selection}`;
    if (random.chance(40)) return `${head} { ... on ${type.name} ${selection} }`;
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    return `${head} { ...${name} }`;
  }

  #directive(): string {
    const value = this.random.chance(50);
    const given = this.random.chance(50) ? String(value) : this.#variable('Boolean!', value);
    return ` @${this.random.pick(['include', 'skip'])}(if: ${given})`;
  }

  #arguments({ name, args }: GraphQLField<unknown, unknown>): string {
    const { random } = this;
    const isBackward = random.chance(15);
    const given = args.flatMap((arg) => {
      const value = this.#value(name, arg, isBackward);
      if (value === undefined) return [];
      const isVariable = random.chance(35);
      const text = isVariable
        ? this.#variable(String(arg.type), value)
        : literal(value, isEnumType(getNamedType(arg.type)));
      return [`${arg.name}: ${text}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  /** @returns undefined if the argument is absent */
  #value(field: string, { name, type }: GraphQLArgument, isBackward: boolean): unknown {
    const { random, readable } = this;
    const { articleIds, commentIds, memberIds, categoryIds, seriesIds, cursors } = readable;
    const optional = <T>(percent: number, make: () => T) => (random.chance(percent) ? make() : undefined);
    switch (name) {
      case 'id':
        return idOf(
          random,
          /^series/.test(field) ? seriesIds : ({ article: articleIds, comment: commentIds }[field] ?? memberIds),
        );
      case 'articleId':
        return idOf(random, articleIds);
      case 'commentId':
        return idOf(random, commentIds);
      case 'memberId':
        return isNonNullType(type) ? idOf(random, memberIds) : optional(50, () => idOf(random, memberIds));
      case 'page':
        return optional(20, () => random.integer(1, 2));
      case 'size':
        return random.chance(3) ? 101 : random.integer(1, 6);
      case 'first':
        return isBackward ? undefined : random.integer(1, 4);
      case 'last':
        return isBackward ? random.integer(1, 4) : undefined;
      case 'after':
      case 'before':
        return (name === 'before') === isBackward && cursors.length > 0
          ? optional(20, () => random.pick(cursors))
          : undefined;
      case 'sort':
      case 'period': {
        const named = getNamedType(type);
        return isEnumType(named) ? optional(40, () => random.pick(named.getValues()).name) : undefined;
      }
      case 'filter':
        return optional(40, () => ({
          ...(random.chance(30) && { tag: random.pick(TAGS) }),
          ...(random.chance(30) && { memberId: idOf(random, memberIds) }),
          ...(random.chance(20) && { categoryId: idOf(random, categoryIds) }),
          ...(random.chance(15) && { from: random.pick(TIMES) }),
          ...(random.chance(15) && { to: random.pick(TIMES) }),
          ...(random.chance(20) && field === 'articles' && { keyword: random.pick(WORDS) }),
        }));
      case 'slug':
        return random.pick(SLUGS);
      case 'nickname':
        return random.pick(readable.nicknames);
      default:
        throw new Error(`no value for the argument ${name}`);
    }
  }

  #variable(type: string, value: unknown): string {
    const name = `v${this.#variables.size}`;
    this.#variables.set(name, { type, value });
    return `$${name}`;
  }
}

function idOf(random: SeededRandom, ids: readonly number[]): string {
  return String(ids.length === 0 || random.chance(4) ? MISSING_ID : random.pick(ids));
}

function literal(value: unknown, isEnum: boolean): string {
  if (typeof value !== 'object' || value === null) return isEnum ? String(value) : JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one, false)}`)
    .join(', ')} }`;
}
