/** Handles one REST request: authenticates, reads and validates the input, runs the operation, responds. */
import { type Context, contextFor, createContext } from '../../context.js';
import { execute, type Outcome } from '../../execute.js';
import { isStampInQuery, stampKeys, stampsWith } from '../../graphql/operation-stamps.js';
import { readVersion } from '../../models/stamp-reader.js';
import { AppError, type FieldError } from '../../platform/errors.js';
import {
  entityTag,
  isCacheable,
  isConditional,
  namesTag,
  revisionTag,
  setContentTag,
} from '../../platform/http/conditional.js';
import type { Condition } from '../../platform/http/if-match.js';
import { setLanguage } from '../../platform/http/language.js';
import { readQueryString, requestInfo } from '../../platform/http/request.js';
import { orUnavailable } from '../../platform/http/response-cache.js';
import type { RouteContext } from '../../platform/http/router.js';
import { createMessage } from '../../platform/messages/message.js';
import { beginningOf } from '../../platform/text.js';
import { findInvalidAs } from '../../schema/constraints.js';
import { requireScopes } from '../../services/auth/api-token.js';
import { requireNotSuspended } from '../../services/auth/policy.js';
import { readKey } from '../../services/idempotency/key.js';
import type { Services } from '../../services/index.js';
import { releasePermits } from '../../services/limits/operations.js';
import { NO_BODY, readBody } from './body.js';
import { prefersStream, respondInChunks } from './chunked-response.js';
import type { CompiledEndpoint } from './compile.js';
import type { FiniteResult, TextResult } from './endpoint.js';
import { renameFields, respond, respondWithText, successText, unwrapResult } from './envelope.js';
import { type RequestInput, readSource } from './source.js';
import { sendDownload, streamEvents } from './stream.js';

/** @throws AppError for every error response. A missing or invalid token, one without the scope, or one of a suspended member is rejected before the body is read. */
export async function runEndpoint(compiled: CompiledEndpoint, services: Services, ctx: RouteContext): Promise<void> {
  const { endpoint, hasSecret } = compiled;
  const { result } = endpoint;
  ctx.state.hasSecret = hasSecret;
  if (endpoint.isNotIndexed) ctx.set('X-Robots-Tag', 'noindex');
  const info = requestInfo(ctx, services.config.trustProxy);
  const context = compiled.ignoresToken ? contextFor(services, info, null) : await createContext(services, info);
  requirePermission(compiled, context);
  const body = endpoint.body === 'none' ? NO_BODY : await readBody(ctx, context, endpoint);
  const query = readQueryString(ctx);
  const { restPageBase: pageBase } = services.config;
  const input = { params: ctx.params, query, headers: ctx.headers, ...body, hasBody: body !== NO_BODY, pageBase };
  const request = { compiled, context, ctx, variables: readPermitted(compiled, context, input) };
  if (result.kind === 'stream') return streamEvents(compiled, result, context, ctx, request.variables);
  if (result.kind === 'download') {
    await executeOperation(request, { kind: 'nothing' });
    return sendDownload(ctx, context, result);
  }
  if (endpoint.streamable) {
    ctx.vary('Accept');
    if (prefersStream(ctx)) return respondInParts(request, result);
  } else if (isChange(compiled)) {
    return change(request, result, {
      key: compiled.acceptsKey ? readKey(ctx) : null,
      condition: ctx.headers['if-match'] ?? null,
    });
  }
  return read(request, result);
}

/** What a change is conditional on: an Idempotency-Key, and the revision that it is for. */
export interface Conditions {
  readonly key: string | null;
  readonly condition: Condition | null;
}

/**
 * Executes an endpoint for a request of another transport. @param ctx a request for the endpoint, whose response is not sent
 * @param write from the `data` of the response. Equal public reads share its text
 * @returns the text. @throws AppError for every error response
 */
export async function callEndpoint(
  compiled: CompiledEndpoint,
  context: Context,
  ctx: RouteContext,
  input: RequestInput,
  conditions: Conditions,
  write: (data: unknown) => string,
): Promise<string> {
  const { result } = compiled.endpoint;
  if (result.kind !== 'field' && result.kind !== 'list') throw new TypeError(`${compiled.endpoint.path} has no data`);
  requirePermission(compiled, context);
  const request = { compiled, context, ctx, variables: readPermitted(compiled, context, input) };
  if (isChange(compiled)) {
    await change(request, result, conditions);
    return write(JSON.parse(String(ctx.body)).data);
  }
  await read(request, {
    kind: 'text',
    mediaType: 'application/json',
    write: (data) => write(resultOf(result, data)),
  });
  return String(ctx.body);
}

function isChange({ operation }: CompiledEndpoint): boolean {
  return operation.operation === 'mutation';
}

/** @throws AppError UNAUTHENTICATED, SCOPE_MISSING, MEMBER_SUSPENDED */
function requirePermission({ endpoint, scopeNeeds, isForSuspended }: CompiledEndpoint, { viewer }: Context): void {
  if (endpoint.auth === 'bearer' && !viewer) throw new AppError('UNAUTHENTICATED');
  requireScopes(viewer, scopeNeeds, null);
  if (!isForSuspended) requireNotSuspended(viewer);
}

/** @throws as `readVariables`, and SCOPE_MISSING for a field that the variables request */
function readPermitted(compiled: CompiledEndpoint, { viewer }: Context, input: RequestInput): Record<string, unknown> {
  const variables = readVariables(compiled, input);
  requireScopes(viewer, compiled.scopeNeeds, variables);
  return variables;
}

/** A request whose input is valid, as far as the operation does not check it. */
interface Request {
  readonly compiled: CompiledEndpoint;
  readonly context: Context;
  readonly ctx: RouteContext;
  readonly variables: Record<string, unknown>;
}

/** A read: 304 if the client's copy is current (RFC 9110 §13), the cached response if that is current, otherwise a new one. */
async function read(request: Request, result: FiniteResult): Promise<void> {
  const { compiled, context, ctx, variables } = request;
  const stamps = stampsWith(compiled.stamps, variables);
  // Without keys, no row can have this id: the operation produces the error.
  const keys = stamps && isCacheable(ctx) ? stampKeys(stamps, variables) : null;
  if (!stamps || !keys) return setTag(request, await respondWith(request, result));
  if (result.kind !== 'text') setLanguage(ctx, context.language);
  const mayBeKnown = compiled.endpoint.isTaggedByContent ? namesTag : isConditional;
  const cacheable = {
    api: compiled.api,
    operation: compiled.operation,
    variant: variantOf(request),
    hasValidators: true,
    isConditional: mayBeKnown(ctx) && findInvalidFields(compiled, variables).length === 0,
    isVersionInQuery: isStampInQuery(stamps),
    startedMs: performance.now(),
  } as const;
  const { responseCache, stampReader } = context.services;
  const isVersionNeeded = responseCache.isVersionNeeded(cacheable);
  const current = isVersionNeeded ? await orUnavailable(readVersion(stampReader, keys)) : null;
  const miss = await responseCache.lookup(ctx, cacheable, current);
  if (!miss) return;
  try {
    const outcome = await respondWith(request, result);
    miss.store(outcome);
    if (compiled.endpoint.isTaggedByContent && outcome.version === null) setContentTag(ctx);
  } finally {
    miss.end();
  }
}

/** Executes the operation and sets the response, without its validators. */
async function respondWith(request: Request, result: FiniteResult): Promise<Outcome> {
  const { compiled, context, ctx } = request;
  const { endpoint, prefix, pendingPrefix } = compiled;
  const { outcome, text } = await executeOperation(request, result);
  if (result.kind === 'text') respondWithText(ctx, result.mediaType, text);
  else if (pendingPrefix && text === 'null') respond(ctx, 202, pendingPrefix, context.language, '{}');
  else respond(ctx, endpoint.status, prefix, context.language, text);
  return outcome;
}

/**
 * A response that is not to be stored: of a change, or of a read with a token, whose conditions are ignored. A resource with a revision has
 * the same tag as without a token, for If-Match.
 */
function setTag(request: Request, { version, revision }: Outcome): void {
  const { compiled, ctx, variables } = request;
  const { endpoint } = compiled;
  const stamps = stampsWith(compiled.stamps, variables);
  if (endpoint.isRevisioned && revision !== null) ctx.set('ETag', revisionTag(revision, String(ctx.body)));
  if (!stamps || !isStampInQuery(stamps) || version?.revision === undefined) return;
  ctx.set('ETag', entityTag({ version, variant: variantOf(request) }));
}

/** Executes a change, with the conditions of the request: Idempotency-Key and If-Match. */
async function change(request: Request, result: FiniteResult, { key, condition }: Conditions): Promise<void> {
  const { compiled, ctx, variables } = request;
  const context = condition === null ? request.context : { ...request.context, ifMatch: condition };
  const respond = async (context: Context) => {
    const outcome = await respondWith({ ...request, context }, result);
    setTag(request, outcome);
    return outcome;
  };
  if (key === null) return void (await respond(context));
  const { method, path } = compiled.endpoint;
  // The responses to changes have ids of others, but no content.
  await context.services.idempotencyKeys.run(
    ctx,
    context,
    { key, input: [method, path, variables], showsOthers: false },
    respond,
  );
}

function respondInParts(request: Request, result: FiniteResult): Promise<void> {
  const { compiled, context, ctx } = request;
  return respondInChunks(ctx, context, async (sendChunk) => {
    const { text } = await executeOperation({ ...request, context: { ...context, sendChunk } }, result);
    return successText(compiled.prefix, context.language, text);
  });
}

/** Everything that determines the response besides the stamped rows. The envelope prefix contains the localized message. */
function variantOf({ compiled, context, variables }: Request): string {
  const { endpoint, digest, prefix } = compiled;
  const { publicUrl, site, restPageBase } = context.config;
  const message = endpoint.result.kind === 'text' ? '' : prefix[context.language];
  return [digest, publicUrl, site.memberUrl, restPageBase, message, JSON.stringify(variables)].join('\n');
}

/** @returns the outcome, and the `data` of the response as JSON; the whole response if it is a text */
async function executeOperation(
  { compiled, context, variables }: Request,
  result: FiniteResult,
): Promise<{ outcome: Outcome; text: string }> {
  try {
    const outcome = await execute(compiled, variables, context);
    const data = unwrapResult(compiled, outcome);
    return { outcome, text: result.kind === 'text' ? result.write(data) : JSON.stringify(resultOf(result, data)) };
  } finally {
    releasePermits(context);
  }
}

function resultOf(result: Exclude<FiniteResult, TextResult>, data: Record<string, unknown>): unknown {
  if (result.kind === 'nothing') return {};
  return result.kind === 'list' ? { contents: data[result.name] } : data[result.name];
}

/** @throws AppError VALIDATION_FAILED with every invalid field, including those that only the validators detect */
function readVariables(compiled: CompiledEndpoint, input: RequestInput): Record<string, unknown> {
  const { variables, bodyFields, queryNames, endpoint } = compiled;
  const errors = unknownNames('unknownField', Object.keys(input.fields), bodyFields);
  if (!endpoint.ignoresUnknownParameters) {
    errors.push(...unknownNames('unknownParameter', new Set(input.query.keys()), queryNames));
  }
  const values: Record<string, unknown> = {};
  for (const { name, type, source } of variables) {
    const value = readSource(source, type, input, errors);
    if (value !== undefined) values[name] = value;
  }
  if (errors.length === 0 && !compiled.hasNestedArguments) return values;
  errors.push(...findInvalidFields(compiled, values));
  if (errors.length === 0) return values;
  throw new AppError('VALIDATION_FAILED', { errors });
}

/** Runs the validators before the operation does, to report all invalid fields together. */
function findInvalidFields(compiled: CompiledEndpoint, values: Record<string, unknown>): FieldError[] {
  const { endpoint, variables } = compiled;
  const nested = variables.flatMap(({ name, type }) =>
    findInvalidAs(String(type).replace('!', ''), values[name] ?? {}),
  );
  const direct = endpoint.args ? findInvalidAs(endpoint.args, argumentsOf(compiled, values)) : [];
  return renameFields([...nested, ...direct], compiled);
}

const MAX_UNKNOWN_NAMES = 20;

/** At most 20 unknown names, cut to 60 characters: a body can have 100,000. */
function unknownNames(
  kind: 'unknownField' | 'unknownParameter',
  names: Iterable<string>,
  declared: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of names) {
    if (errors.length === MAX_UNKNOWN_NAMES) break;
    if (!declared.includes(name))
      errors.push({
        field: name.length > 60 ? `${beginningOf(name, 60)}…` : name.toWellFormed(),
        message: createMessage(kind, declared),
      });
  }
  return errors;
}

function argumentsOf(compiled: CompiledEndpoint, values: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [compiled.arguments.get(name)?.name ?? name, value]),
  );
}
