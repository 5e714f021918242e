/** Parses request bodies: the JSON fields and the uploaded file, from `application/json` or `multipart/form-data`. */
import type Koa from 'koa';
import type { Context } from '../../context.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { AppError, invalid } from '../../platform/errors.js';
import { decodeUtf8, MAX_JSON_BYTES, parseJson, readJson } from '../../platform/http/json-body.js';
import { readParts } from '../../platform/http/multipart.js';
import type { Part } from '../../platform/http/multipart-parser.js';
import { createMessage } from '../../platform/messages/message.js';
import { inspectValue } from '../../platform/text.js';
import { UploadedFile } from '../../schema/scalars.js';
import { viewerOf } from '../../services/auth/policy.js';

/**
 * The body that an endpoint accepts. `multipart`: JSON, or multipart with JSON and a file. `file`: multipart with a file only.
 * `optional`: JSON, or no body.
 */
export type BodyKind = 'none' | 'json' | 'multipart' | 'file' | 'optional';

/** The properties of an endpoint that determine how its body is read. */
interface BodyOwner {
  readonly body: BodyKind;
  readonly path: string;
}

export interface Body {
  fields: Record<string, unknown>;
  /** The multipart part `file`. */
  file: UploadedFile | undefined;
}

/** The result for a request without a body. */
export const NO_BODY: Body = { fields: {}, file: undefined };

const MAX_AUTH_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 16 * 1024,
  unit: 'bytes',
  about: 'Body of a request to `/api/auth`, and of any other REST request without authentication.',
});

/**
 * @throws AppError BAD_REQUEST, VALIDATION_FAILED, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, REQUEST_TIMEOUT,
 *   RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function readBody(ctx: Koa.Context, context: Context, { body: kind, path }: BodyOwner): Promise<Body> {
  // null: the request has neither Content-Length nor Transfer-Encoding, so there is no body.
  const type = ctx.is('application/json', 'multipart/form-data');
  if (type === null || ctx.request.length === 0) {
    if (kind === 'optional') return NO_BODY;
    throw new AppError('BAD_REQUEST', { message: createMessage('bodyEmpty') });
  }
  if (type === 'application/json' && kind !== 'file') {
    const isTrusted = context.viewer !== null && !path.startsWith('/auth/');
    const rules = { maxBytes: isTrusted ? MAX_JSON_BYTES : MAX_AUTH_BYTES, mayCompress: isTrusted };
    return { fields: requireObject(await readJson(ctx, context, rules)), file: undefined };
  }
  const acceptsFile = kind === 'multipart' || kind === 'file';
  if (type === 'multipart/form-data' && acceptsFile)
    return fromParts(await readParts(ctx, { ...context, memberId: viewerOf(context).memberId }, ['request']));
  const accepted = [...(acceptsFile ? ['multipart/form-data'] : []), ...(kind === 'file' ? [] : ['application/json'])];
  const given = ctx.get('Content-Type');
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: given
      ? createMessage('contentTypeUnsupported', accepted, inspectValue(given))
      : createMessage('contentTypeMissing', accepted),
  });
}

function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const message = Array.isArray(value)
    ? createMessage('bodyIsArray')
    : createMessage('bodyNotObject', inspectValue(value));
  throw new AppError('BAD_REQUEST', { message });
}

/**
 * The JSON part `request` is accepted as a plain field, as a part with a Content-Type, or as a part with a filename.
 * An empty part without a filename is ignored: browsers send one for a file input without a selection.
 */
function fromParts(parts: Part[]): Body {
  const sent = parts.filter(({ filename, bytes }) => filename !== '' || bytes.length > 0);
  const unknown = sent.find(({ name }) => name !== 'request' && name !== 'file');
  if (unknown) throw invalid(unknown.name, createMessage('unknownPart'));
  const [request, ...moreRequests] = sent.filter(({ name }) => name === 'request');
  const [file, ...moreFiles] = sent.filter(({ name }) => name === 'file');
  if (moreRequests.length > 0) throw invalid('request', createMessage('partRepeated', moreRequests.length + 1));
  if (moreFiles.length > 0) throw invalid('file', createMessage('partRepeated', moreFiles.length + 1));
  if (!request && !file) {
    throw new AppError('BAD_REQUEST', { message: createMessage('partsMissing') });
  }
  return {
    fields: request ? requireObject(parseJson(decodeUtf8(request.bytes))) : {},
    file: file && new UploadedFile(file.bytes),
  };
}
