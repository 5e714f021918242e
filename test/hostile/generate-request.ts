/** Generates REST requests from openapi.json: right and wrong parameters, bodies, types and tokens. */
import { BAD_IDS, HUGE_IDS } from '../support/hostile.js';
import type { HttpRequest } from './http.js';
import { bearer } from './requests.js';
import type { SeededRandom } from './seeded-random.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: readonly unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: readonly string[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** They would end the session or the account that further requests use. */
const WITHOUT_TOKEN = ['POST /api/auth/logout', 'DELETE /api/members/me', 'POST /api/auth/refresh'];

/** @param tokens of members; some requests have none, or a bad one */
export function generateRest(random: SeededRandom, document: OpenApi, tokens: readonly string[]): HttpRequest {
  const [path, methods] = random.pick(Object.entries(document.paths));
  const [method, operation] = random.pick(Object.entries(methods));
  const target = `${method.toUpperCase()} ${path}`;
  const parameters = (operation.parameters ?? []).map((parameter) => followed(document, parameter));
  const token =
    random.chance(80) && !WITHOUT_TOKEN.includes(target)
      ? random.pick(tokens)
      : random.chance(10)
        ? 'nonsense'
        : undefined;
  const headers: Record<string, string> = token === undefined ? {} : bearer(token);
  for (const { name, in: location } of parameters)
    if (location === 'header' && random.chance(20)) headers[name] = headerValue(random, name);
  const { type, body } = bodyOf(random, document, operation);
  if (type !== undefined) headers['Content-Type'] = type;
  return {
    method: random.chance(97) ? method.toUpperCase() : random.pick(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']),
    path:
      filled(random, path) +
      queryOf(
        random,
        parameters.filter((parameter) => parameter.in === 'query'),
      ),
    headers,
    ...(body !== undefined && { body }),
  };
}

function followed<Item extends { $ref?: string }>(document: OpenApi, item: Item): Item {
  const [, , group = '', name = ''] = item.$ref?.split('/') ?? [];
  return item.$ref === undefined ? item : (document.components[group]?.[name] as Item);
}

function headerValue(random: SeededRandom, name: string): string {
  if (name === 'Accept-Language') return random.pick(['ko', 'en;q=0.1, ko', '*', 'xx'.repeat(2_000), ';;q=,']);
  return random.pick([
    '"x"',
    'W/"x"',
    '*',
    'x'.repeat(4_000),
    '"a", '.repeat(500),
    'Sat, 21 Nov 2026 00:00:00 GMT',
    '-1',
  ]);
}

function filled(random: SeededRandom, path: string): string {
  return path.replace(/\{\w+\}/g, () => {
    if (random.chance(75)) return String(random.integer(1, 5));
    return random.chance(50)
      ? random.pick(BAD_IDS)
      : random.pick([...HUGE_IDS, '999999', '%F0%9F%98%80', 'x'.repeat(3_000)]);
  });
}

function queryOf(random: SeededRandom, parameters: Parameter[]): string {
  const pairs = parameters
    .filter(() => random.chance(35))
    .map(({ name, schema }) => [name, queryValue(random, name, schema)]);
  if (random.chance(5) && pairs[0]) pairs.push(pairs[0]);
  if (random.chance(3)) pairs.push(['unknown', '1']);
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}

function queryValue(random: SeededRandom, name: string, { enum: values }: Schema): string {
  if (random.chance(15))
    return random.pick(['', 'null', '-1', '1e3', 'x'.repeat(2_000), '[]', '\0', '0x10', '1,2', '😀'.repeat(200)]);
  if (values) return String(random.pick(values));
  if (name === 'page' || name === 'size' || /id$/i.test(name))
    return String(random.pick([1, 1, 2, 10, 100, 1_000, 0, 101, 2_147_483_647]));
  return random.pick(['x', 'sentence', 'some words of a text', '글', 'a b c d e f g h i j k l']);
}

function bodyOf(random: SeededRandom, document: OpenApi, { requestBody }: Operation): { type?: string; body?: string } {
  const contents = Object.entries(requestBody?.content ?? {});
  if (contents.length === 0) return random.chance(5) ? { type: 'application/json', body: random.hostileJson() } : {};
  if (random.chance(2)) return {};
  const [type, { schema }] = random.pick(contents);
  if (random.chance(3))
    return {
      type: random.pick(['text/plain', 'application/xml', 'application/json; charset=x', 'x'.repeat(500)]),
      body: '{}',
    };
  if (type !== 'multipart/form-data') return { type, body: objectOf(random, document, schema) };
  const { properties = {} } = resolved(document, schema);
  const request = objectOf(random, document, properties.request ?? {});
  return { type: `${type}; boundary=x`, body: multipartOf(random, request) };
}

function multipartOf(random: SeededRandom, request: string): string {
  const part = (name: string, value: string, more = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const parts = random.chance(90) ? [part('request', request, random.pick(['', '; filename="blob"']))] : [];
  if (random.chance(20))
    parts.push(
      part(
        'file',
        random.pick(['', 'GIF89a', '<svg/>', '\x89PNG\r\n\x1a\n', 'x'.repeat(100_000)]),
        '; filename="a.png"',
      ),
    );
  if (random.chance(5))
    parts.push(
      ...Array.from({ length: random.integer(1, 200) }, () => part(random.pick(['request', 'file', 'x', '']), '')),
    );
  if (random.chance(3)) parts.push('--x\r\n\r\n');
  return parts.join('') + random.pick(['--x--\r\n', '--x--\r\n', '--x--\r\n', '--x--', '', '--y--']);
}

function resolved(document: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolved(document, followed(document, schema));
}

/** An object of the schema as JSON; rarely anything else. */
function objectOf(random: SeededRandom, document: OpenApi, schema: Schema): string {
  if (random.chance(3)) return random.hostileJson();
  if (random.chance(1))
    return random.pick(['', '{', '{"a":}', '\xff\xfe', 'null', '"x"', ' '.repeat(1_100_000), '{"a":'.repeat(100_000)]);
  const { properties = {}, required = [] } = resolved(document, schema);
  const names = Object.keys(properties).filter((name) =>
    required.includes(name) ? !random.chance(3) : random.chance(50),
  );
  const fields = names.map(
    (name) => `${JSON.stringify(name)}:${propertyOf(random, document, name, properties[name] ?? {})}`,
  );
  if (random.chance(4)) fields.push(`"unknown":${random.hostileJson()}`);
  if (random.chance(3) && fields[0]) fields.push(fields[0]);
  return `{${fields.join(',')}}`;
}

function propertyOf(random: SeededRandom, document: OpenApi, name: string, schema: Schema): string {
  if (random.chance(6)) return random.hostileJson();
  const { type, enum: values, items } = resolved(document, schema);
  if (values) return JSON.stringify(random.pick(values));
  const types = [type ?? 'string'].flat();
  if (types.includes('array'))
    return `[${Array.from({ length: random.integer(0, 12) }, () => propertyOf(random, document, name, items ?? {})).join(',')}]`;
  if (types.includes('integer')) return String(random.pick([1, 2, 3, 0, -1, 999_999, 2 ** 53]));
  if (types.includes('boolean')) return random.pick(['true', 'false']);
  if (types.includes('object')) return objectOf(random, document, schema);
  return JSON.stringify(
    random.pick([
      'x',
      'some words',
      'a@example.org',
      'a long password',
      'x'.repeat(1_000),
      'x'.repeat(100_001),
      random.text(40),
    ]),
  );
}
