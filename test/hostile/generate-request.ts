/** Generates REST requests from openapi.json: right and wrong parameters, bodies, types and tokens. */
import { BAD_IDS, HUGE_IDS } from '../support/hostile.js';
import type { Draw } from './draw.js';
import type { HttpRequest } from './http.js';
import { bearer } from './requests.js';

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
export function generateRest(draw: Draw, document: OpenApi, tokens: readonly string[]): HttpRequest {
  const [path, methods] = draw.pick(Object.entries(document.paths));
  const [method, operation] = draw.pick(Object.entries(methods));
  const target = `${method.toUpperCase()} ${path}`;
  const parameters = (operation.parameters ?? []).map((parameter) => followed(document, parameter));
  const token =
    draw.chance(80) && !WITHOUT_TOKEN.includes(target) ? draw.pick(tokens) : draw.chance(10) ? 'nonsense' : undefined;
  const headers: Record<string, string> = token === undefined ? {} : bearer(token);
  for (const { name, in: location } of parameters)
    if (location === 'header' && draw.chance(20)) headers[name] = headerValue(draw, name);
  const { type, body } = bodyOf(draw, document, operation);
  if (type !== undefined) headers['Content-Type'] = type;
  return {
    method: draw.chance(97) ? method.toUpperCase() : draw.pick(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']),
    path:
      filled(draw, path) +
      queryOf(
        draw,
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

function headerValue(draw: Draw, name: string): string {
  if (name === 'Accept-Language') return draw.pick(['ko', 'en;q=0.1, ko', '*', 'xx'.repeat(2_000), ';;q=,']);
  return draw.pick([
    '"x"',
    'W/"x"',
    '*',
    'x'.repeat(4_000),
    '"a", '.repeat(500),
    'Sat, 21 Nov 2026 00:00:00 GMT',
    '-1',
  ]);
}

function filled(draw: Draw, path: string): string {
  return path.replace(/\{\w+\}/g, () => {
    if (draw.chance(75)) return String(draw.integer(1, 5));
    return draw.chance(50) ? draw.pick(BAD_IDS) : draw.pick([...HUGE_IDS, '999999', '%F0%9F%98%80', 'x'.repeat(3_000)]);
  });
}

function queryOf(draw: Draw, parameters: Parameter[]): string {
  const pairs = parameters
    .filter(() => draw.chance(35))
    .map(({ name, schema }) => [name, queryValue(draw, name, schema)]);
  if (draw.chance(5) && pairs[0]) pairs.push(pairs[0]);
  if (draw.chance(3)) pairs.push(['unknown', '1']);
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}

function queryValue(draw: Draw, name: string, { enum: values }: Schema): string {
  if (draw.chance(15))
    return draw.pick(['', 'null', '-1', '1e3', 'x'.repeat(2_000), '[]', '\0', '0x10', '1,2', '😀'.repeat(200)]);
  if (values) return String(draw.pick(values));
  if (name === 'page' || name === 'size' || /id$/i.test(name))
    return String(draw.pick([1, 1, 2, 10, 100, 1_000, 0, 101, 2_147_483_647]));
  return draw.pick(['x', 'sentence', 'some words of a text', '글', 'a b c d e f g h i j k l']);
}

function bodyOf(draw: Draw, document: OpenApi, { requestBody }: Operation): { type?: string; body?: string } {
  const contents = Object.entries(requestBody?.content ?? {});
  if (contents.length === 0) return draw.chance(5) ? { type: 'application/json', body: draw.hostileJson() } : {};
  if (draw.chance(2)) return {};
  const [type, { schema }] = draw.pick(contents);
  if (draw.chance(3))
    return {
      type: draw.pick(['text/plain', 'application/xml', 'application/json; charset=x', 'x'.repeat(500)]),
      body: '{}',
    };
  if (type !== 'multipart/form-data') return { type, body: objectOf(draw, document, schema) };
  const { properties = {} } = resolved(document, schema);
  const request = objectOf(draw, document, properties.request ?? {});
  return { type: `${type}; boundary=x`, body: multipartOf(draw, request) };
}

function multipartOf(draw: Draw, request: string): string {
  const part = (name: string, value: string, more = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const parts = draw.chance(90) ? [part('request', request, draw.pick(['', '; filename="blob"']))] : [];
  if (draw.chance(20))
    parts.push(
      part('file', draw.pick(['', 'GIF89a', '<svg/>', '\x89PNG\r\n\x1a\n', 'x'.repeat(100_000)]), '; filename="a.png"'),
    );
  if (draw.chance(5))
    parts.push(
      ...Array.from({ length: draw.integer(1, 200) }, () => part(draw.pick(['request', 'file', 'x', '']), '')),
    );
  if (draw.chance(3)) parts.push('--x\r\n\r\n');
  return parts.join('') + draw.pick(['--x--\r\n', '--x--\r\n', '--x--\r\n', '--x--', '', '--y--']);
}

function resolved(document: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolved(document, followed(document, schema));
}

/** An object of the schema as JSON; rarely anything else. */
function objectOf(draw: Draw, document: OpenApi, schema: Schema): string {
  if (draw.chance(3)) return draw.hostileJson();
  if (draw.chance(1))
    return draw.pick(['', '{', '{"a":}', '\xff\xfe', 'null', '"x"', ' '.repeat(1_100_000), '{"a":'.repeat(100_000)]);
  const { properties = {}, required = [] } = resolved(document, schema);
  const names = Object.keys(properties).filter((name) => (required.includes(name) ? !draw.chance(3) : draw.chance(50)));
  const fields = names.map(
    (name) => `${JSON.stringify(name)}:${propertyOf(draw, document, name, properties[name] ?? {})}`,
  );
  if (draw.chance(4)) fields.push(`"unknown":${draw.hostileJson()}`);
  if (draw.chance(3) && fields[0]) fields.push(fields[0]);
  return `{${fields.join(',')}}`;
}

function propertyOf(draw: Draw, document: OpenApi, name: string, schema: Schema): string {
  if (draw.chance(6)) return draw.hostileJson();
  const { type, enum: values, items } = resolved(document, schema);
  if (values) return JSON.stringify(draw.pick(values));
  const types = [type ?? 'string'].flat();
  if (types.includes('array'))
    return `[${Array.from({ length: draw.integer(0, 12) }, () => propertyOf(draw, document, name, items ?? {})).join(',')}]`;
  if (types.includes('integer')) return String(draw.pick([1, 2, 3, 0, -1, 999_999, 2 ** 53]));
  if (types.includes('boolean')) return draw.pick(['true', 'false']);
  if (types.includes('object')) return objectOf(draw, document, schema);
  return JSON.stringify(
    draw.pick([
      'x',
      'some words',
      'a@example.org',
      'a long password',
      'x'.repeat(1_000),
      'x'.repeat(100_001),
      draw.text(40),
    ]),
  );
}
