/** File uploads according to the GraphQL multipart request specification. */
import type Koa from 'koa';
import type { Context } from '../context.js';
import { AppError } from '../platform/errors.js';
import { decodeUtf8, parseJson } from '../platform/http/json-body.js';
import { readParts } from '../platform/http/multipart.js';
import type { Part } from '../platform/http/multipart-parser.js';
import { createMessage } from '../platform/messages/message.js';
import { UploadedFile } from '../schema/scalars.js';
import { viewerOf } from '../services/auth/policy.js';

type JsonObject = Record<string, unknown>;

/** @returns the operation with each file at the paths in the part `map`. @throws AppError BAD_REQUEST, and those of `readParts` */
export async function readUploads(ctx: Koa.Context, context: Context): Promise<JsonObject> {
  const parts = await readParts(ctx, { ...context, memberId: viewerOf(context).memberId }, ['operations', 'map']);
  const operation = jsonPart(parts, 'operations');
  for (const [name, paths] of Object.entries(jsonPart(parts, 'map'))) {
    const part = parts.find((candidate) => candidate.name === name);
    if (!part || !Array.isArray(paths)) throw misplaced(name);
    for (const path of paths) insertFile(operation, String(path), new UploadedFile(part.bytes), name);
  }
  return operation;
}

function jsonPart(parts: Part[], name: string): JsonObject {
  const part = parts.find((candidate) => candidate.name === name);
  if (!part) throw new AppError('BAD_REQUEST', { message: createMessage('partMissing', name) });
  const value = parseJson(decodeUtf8(part.bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('BAD_REQUEST', { message: createMessage('partNotObject', name) });
  }
  return value as JsonObject;
}

/** Sets the file at a path such as `variables.input.image`, which must exist with the value null. @throws AppError BAD_REQUEST */
function insertFile(operation: JsonObject, path: string, file: UploadedFile, name: string): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent: unknown = operation;
  for (const key of keys) parent = hasKey(parent, key) ? parent[key] : undefined;
  if (!hasKey(parent, last) || parent[last] !== null) throw misplaced(name);
  parent[last] = file;
}

function hasKey(value: unknown, key: string): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function misplaced(name: string): AppError {
  return new AppError('BAD_REQUEST', { message: createMessage('fileMapInvalid', name) });
}
