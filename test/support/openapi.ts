/** Validates responses against the OpenAPI document of the same application. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { LANGUAGES } from '../../src/platform/messages/message.js';

/** A response of the REST API. */
export interface RestResponse {
  status: number;
  headers: Headers;
  /** The envelope; null without a body. */
  body: Envelope | null;
}

export interface Envelope {
  code: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
  data: any;
}

type Json = Record<string, unknown>;
type Content = Record<string, { schema: Json }>;
type Response = { content?: Content; $ref?: string };
type Operation = { responses: Record<string, Response> };
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
}

/** The document and its validators, which keep compiled schemas. */
interface Described {
  document: Document;
  ajv: Ajv2020;
  /** The paths, those with fewer parameters first: they take precedence, as in the application. */
  paths: { template: string; pattern: RegExp }[];
  /** The path of each requested one. */
  found: Map<string, string | undefined>;
}

/** By the URL of an application. */
const described = new Map<string, Promise<Described>>();
/** By ETag: applications with equal settings have equal documents. */
const known = new Map<string, Described>();

/** Responses without a message. */
const FILE_TYPES = ['application/zip', 'text/markdown'];

/** Fails if a documented path under `/api` returns an undocumented response. */
export async function checkResponse(
  url: string,
  method: string,
  target: string,
  response: RestResponse,
): Promise<void> {
  if (!target.startsWith('/api/')) return;
  const described = await documentOf(url);
  const { document, ajv } = described;
  const path = pathOf(described, new URL(target, url).pathname);
  const operation = path && document.paths[path]?.[method.toLowerCase()];
  if (!operation) {
    expect(response.status, `${method} ${target}`).to.be.oneOf([400, 404, 405]);
    return;
  }
  const declared = followed(document, operation.responses[response.status]);
  if (!declared)
    expect.fail(
      `${method} ${path} returned ${response.status}, which is not documented: ${JSON.stringify(response.body)}`,
    );
  if (!declared.content) {
    expect(response.body, `${method} ${path} ${response.status}`).to.equal(null);
    return;
  }
  const file = FILE_TYPES.find((type) => declared.content?.[type]);
  if (file) {
    expect(response.headers.get('Content-Type')).to.be.oneOf([file, `${file}; charset=utf-8`]);
    expect(response.headers.get('Content-Language')).to.equal(null);
    return;
  }
  if (!LANGUAGES.some((language) => language === response.headers.get('Content-Language')))
    expect.fail(`${method} ${path} ${response.status} in ${response.headers.get('Content-Language')}`);
  if (!declared.content['application/json']) {
    expect(declared.content).to.have.all.keys(response.headers.get('Content-Type') ?? '');
    return;
  }
  const pointer = pointerOf(operation, path, method, response.status);
  const validate = ajv.getSchema(`${pointer}/content/application~1json/schema`) as ValidateFunction;
  // An assertion writes its message also when it passes, and this function checks each response.
  if (validate(response.body) !== true)
    expect.fail(`${method} ${path}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(response.body)}`);
  if (Object.keys(response.body ?? {}).join() !== 'code,message,data')
    expect(Object.keys(response.body ?? {})).to.deep.equal(['code', 'message', 'data']);
}

function pathOf({ paths, found }: Described, pathname: string): string | undefined {
  if (!found.has(pathname)) found.set(pathname, paths.find(({ pattern }) => pattern.test(pathname))?.template);
  return found.get(pathname);
}

export interface DocumentedResult {
  /** Such as `GET /api/members/me`. */
  target: string;
  /** The status of a success, or the key of an error. */
  result: string;
  status: number;
}

/** Every response in the OpenAPI document of the application at `url`. */
export async function documentedResults(url: string): Promise<DocumentedResult[]> {
  const { document } = await documentOf(url);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const schema = followed(document, response)?.content?.['application/json']?.schema as {
          properties?: { code?: { enum?: string[] } };
        };
        const keys = schema?.properties?.code?.enum ?? [status];
        return keys.map((result) => ({ target: `${method.toUpperCase()} ${path}`, result, status: Number(status) }));
      }),
    ),
  );
}

function documentOf(url: string): Promise<Described> {
  const cached = described.get(url) ?? load(url);
  described.set(url, cached);
  return cached;
}

async function load(url: string): Promise<Described> {
  // Without Cache-Control, fetch adds no-cache to a request with a validator, and the response would be complete.
  const headers = { 'If-None-Match': [...known.keys()].join(), 'Cache-Control': 'max-age=0' };
  const response = await fetch(`${url}/openapi.json`, { headers });
  const tag = response.headers.get('ETag') ?? '';
  const document = known.get(tag) ?? describe((await response.json()) as Document);
  known.set(tag, document);
  return document;
}

/** Most validators are used once or twice: shared schemas are not compiled again in each, and the code is not optimized. */
export function validatorsOf(document: object): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  return ajv.addSchema({ ...document, $id: 'openapi' });
}

function describe(document: Document): Described {
  const templates = Object.keys(document.paths).sort((a, b) => a.split('{').length - b.split('{').length);
  const paths = templates.map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return { document, ajv: validatorsOf(document), paths, found: new Map() };
}

/** Resolves the `$ref` of a shared response. */
function followed({ components }: Document, response: Response | undefined): Response | undefined {
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : components.responses[name];
}

/** The JSON pointer of a response, prefixed with the id of the document. */
function pointerOf({ responses }: Operation, path: string, method: string, status: number): string {
  const { $ref } = responses[status] ?? {};
  if ($ref) return `openapi${$ref}`;
  const keys = ['paths', path, method.toLowerCase(), 'responses', String(status)];
  return `openapi#/${keys.map((key) => encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`;
}
