/** The example requests of the OpenAPI document, ready to be sent, and their documented responses. */
import { type RequestOptions } from './client.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is read without a type, as by its clients.
type Json = any;

/** Paths whose id is a UUID, not an integer. */
export const UUID_PATHS = /\/(?:sessions|tokens)\//;

export interface ShownRequest {
  /** Such as `PUT /api/articles/{articleId}`. */
  operation: string;
  /** The media type of the body; empty if there is none. */
  mediaType: string;
  isPublic: boolean;
  /** The body's fields. */
  fields: Json;
  /** The arguments of `call`, without a token. @param fields replace the documented ones */
  toSend(fields?: Json): Promise<{ target: string; options: RequestOptions }>;
  status: number;
  /** The content of the response by media type; empty if there is none. */
  content: Record<string, { example: Json }>;
}

/** Every example request, one for each media type of the body. @param document as served */
export function shownRequests(document: Json): ShownRequest[] {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return operations.flatMap(({ path, method, operation }) => {
    const bodies: [string, Json][] = Object.entries(operation.requestBody?.content ?? { '': {} });
    return bodies.map(([mediaType, { example: body = {} }]) => {
      const isMultipart = mediaType === 'multipart/form-data';
      const [status = '', success] = Object.entries<Json>(operation.responses).find(([key]) => /^2/.test(key)) ?? [];
      const shown = isMultipart ? body.request : body;
      return {
        operation: `${method} ${path}`,
        mediaType,
        isPublic: operation.security.length === 0,
        fields: shown,
        toSend: async (fields = shown) => {
          const { target, headers } = addressOf(document, method, path, operation.parameters);
          if (mediaType === '') return { target, options: { headers } };
          if (!isMultipart) return { target, options: { headers, json: fields } };
          const file = filePart(await flat(640, 480).png().toBuffer());
          const sent = multipart([...(fields ? [requestPart(fields)] : []), file]);
          return { target, options: { ...sent, headers: { ...headers, ...sent.headers } } };
        },
        status: Number(status),
        content: success?.content ?? {},
      };
    });
  });
}

/** The target and the headers, from the examples of the parameters. */
function addressOf(document: Json, method: string, path: string, parameters: Json[]) {
  const followed = parameters.map(({ $ref, ...own }) =>
    $ref ? document.components.parameters[$ref.split('/').at(-1)] : own,
  );
  const at = (location: string) => followed.filter((parameter) => parameter.in === location);
  const query = new URLSearchParams(texts(at('query')));
  const filled = at('path').reduce((rest, { name, example }) => rest.replace(`{${name}}`, String(example)), path);
  return { target: `${method} ${filled}${query.size > 0 ? `?${query}` : ''}`, headers: texts(at('header')) };
}

function texts(parameters: Json[]): Record<string, string> {
  const given = parameters.filter(({ example }) => example !== undefined);
  return Object.fromEntries(given.map(({ name, example }) => [name, String(example)]));
}

/** The field names of a value at every depth; of an array, those of its first element. Other values become null. */
export function namesIn(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn);
  if (typeof value !== 'object' || value === null) return null;
  // Of an article or a member without an image they are empty.
  const names = (name: string, child: Json) => (/^(?:article|profile)ImgSizes$/.test(name) ? null : namesIn(child));
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, names(name, child)]));
}

export interface ShownExample {
  /** The JSON pointer of the schema. */
  pointer: string;
  example: unknown;
}

/** Every example inside or next to a schema. */
export function* examplesIn(part: Json, pointer = ''): Generator<ShownExample> {
  if (typeof part !== 'object' || part === null) return;
  const { schema, example, examples } = part;
  if (Array.isArray(examples)) for (const one of examples) yield { pointer, example: one };
  else if (schema && examples) {
    for (const { value } of Object.values<{ value: unknown }>(examples)) {
      yield { pointer: `${pointer}/schema`, example: value };
    }
  }
  if (schema && example !== undefined) yield { pointer: `${pointer}/schema`, example };
  for (const [key, value] of Object.entries(part)) {
    if (/^examples?$/.test(key)) continue;
    yield* examplesIn(value, `${pointer}/${encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))}`);
  }
}
