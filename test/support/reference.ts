/** The requests that the reference shows, ready to be sent, and what it says of their answers. */
import type { RequestOptions } from './client.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is read here as its readers do.
type Json = any;

export interface ShownRequest {
  /** Such as `PUT /api/articles/{articleId}`. */
  operation: string;
  /** Of the body; empty where there is none. */
  mediaType: string;
  isPublic: boolean;
  /** The body's fields. */
  fields: Json;
  /** What `call` takes, without a token. @param fields in place of those shown */
  toSend(fields?: Json): Promise<{ target: string; options: RequestOptions }>;
  status: number;
  /** The content of the answer by its media type; empty where there is none. */
  answers: Record<string, { example: Json }>;
}

/** Every request that the document shows, one for each form of the body. @param document as it is served */
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
          const sent = multipart([requestPart(fields), filePart(await flat(4, 4).png().toBuffer())]);
          return { target, options: { ...sent, headers: { ...headers, ...sent.headers } } };
        },
        status: Number(status),
        answers: success?.content ?? {},
      };
    });
  });
}

/** The address and the headers, from the examples of the parameters. */
function addressOf(document: Json, method: string, path: string, parameters: Json[]) {
  const followed = parameters.map(({ $ref, ...own }) =>
    $ref ? document.components.parameters[$ref.split('/').at(-1)] : own,
  );
  const at = (place: string) => followed.filter((parameter) => parameter.in === place);
  const query = new URLSearchParams(texts(at('query')));
  const filled = at('path').reduce((rest, { name, example }) => rest.replace(`{${name}}`, String(example)), path);
  return { target: `${method} ${filled}${query.size > 0 ? `?${query}` : ''}`, headers: texts(at('header')) };
}

function texts(parameters: Json[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, example }) => [name, String(example)]));
}

/** The names in a value, at every depth; of an array, those of its first element. What is not there has none. */
export function namesIn(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, namesIn(held)]));
}

export interface ShownExample {
  /** Of the schema, as a JSON pointer. */
  pointer: string;
  example: unknown;
}

/** Every example of a schema, be it in the schema or beside it. */
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
