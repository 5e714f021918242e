/** Handles one REST request: authenticates, reads and validates the input, runs the operation, responds. */
import { type Context, contextFor, createContext } from '../../context.js';
import { execute, type Outcome, type Variables } from '../../execute.js';
import { AppError, type FieldError } from '../../platform/errors.js';
import { revisionTag } from '../../platform/http/conditional.js';
import { readQueryString, requestInfo } from '../../platform/http/request.js';
import type { RouteContext } from '../../platform/http/router.js';
import { createMessage } from '../../platform/messages/message.js';
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
import { respond, respondWithText, successText } from './envelope.js';
import { revalidated } from './revalidation.js';
import { type RequestInput, readSource } from './source.js';
import { sendDownload, streamEvents } from './stream.js';
import { renameFields, unwrapResult } from './unwrap-result.js';

/** @throws AppError for every error response. A missing or invalid token, one without the scope, or one of a suspended member is rejected before the body is read. */
export async function runEndpoint(compiled: CompiledEndpoint, services: Services, ctx: RouteContext): Promise<void> {
  const { endpoint, hasSecret } = compiled;
  ctx.state.hasSecret = hasSecret;
  if (endpoint.isNotIndexed) ctx.set('X-Robots-Tag', 'noindex');
  const info = requestInfo(ctx, services.config.trustProxy);
  const context = compiled.ignoresToken ? contextFor(services, info, null) : await createContext(services, info);
  if (endpoint.auth === 'bearer' && !context.viewer) throw new AppError('UNAUTHENTICATED');
  requireScopes(context.viewer, compiled.scopeNeeds, null);
  if (!compiled.isForSuspended) requireNotSuspended(context.viewer);
  const body = await readBody(ctx, context, endpoint);
  const query = readQueryString(ctx);
  const { restPageBase: pageBase } = services.config;
  const input = { params: ctx.params, query, headers: ctx.headers, ...body, hasBody: body !== NO_BODY, pageBase };
  const variables = readVariables(compiled, input);
  requireScopes(context.viewer, compiled.scopeNeeds, variables);
  const { result } = endpoint;
  if (result.kind === 'stream') return streamEvents(compiled, result, context, ctx, variables);
  if (result.kind === 'download') {
    await runOperation(compiled, { kind: 'nothing' }, context, variables);
    return sendDownload(ctx, context, result);
  }
  const { prefix } = compiled;
  const run = (context: Context) => runOperation(compiled, result, context, variables);
  if (endpoint.streamable) ctx.vary('Accept');
  if (compiled.operation.operation === 'mutation' && !endpoint.streamable) {
    return runMutation(compiled, context, ctx, variables, run);
  }
  if (!endpoint.streamable || !prefersStream(ctx)) {
    const send = async (context: Context) => {
      const { outcome, text } = await run(context);
      if (result.kind === 'text') respondWithText(ctx, result.mediaType, text);
      else respond(ctx, endpoint.status, prefix, context.language, text);
      return outcome;
    };
    const isValid = () => findInvalidFields(compiled, variables).length === 0;
    return revalidated({ compiled, context, ctx, variables, isValid }, send);
  }
  await respondInChunks(ctx, context, async (sendChunk) =>
    successText(prefix, context.language, (await run({ ...context, sendChunk })).text),
  );
}

/** Executes a change, with the conditions of the request: Idempotency-Key and If-Match. */
async function runMutation(
  { endpoint, prefix, pendingPrefix, acceptsKey }: CompiledEndpoint,
  context: Context,
  ctx: RouteContext,
  variables: Record<string, unknown>,
  run: (context: Context) => Promise<{ outcome: Outcome; text: string }>,
): Promise<void> {
  const key = acceptsKey ? readKey(ctx) : null;
  const { 'if-match': ifMatch } = ctx.headers;
  const conditional = ifMatch === undefined ? context : { ...context, ifMatch };
  const send = async (context: Context) => {
    const { outcome, text } = await run(context);
    if (pendingPrefix && text === 'null') respond(ctx, 202, pendingPrefix, context.language, '{}');
    else respond(ctx, endpoint.status, prefix, context.language, text);
    const { revision } = outcome;
    if (endpoint.isRevisioned && revision !== null) ctx.set('ETag', revisionTag(revision, String(ctx.body)));
    return outcome;
  };
  if (key === null) return void (await send(conditional));
  const input = [endpoint.method, endpoint.path, variables];
  // The responses to changes have ids of others, but no content.
  await context.idempotencyKeys.run(ctx, conditional, { key, input, showsOthers: false }, send);
}

/** @returns the outcome, and the `data` of the response as JSON; the whole response if it is a text */
async function runOperation(
  compiled: CompiledEndpoint,
  result: FiniteResult,
  context: Context,
  variables: Variables,
): Promise<{ outcome: Outcome; text: string }> {
  try {
    const outcome = await execute(compiled, variables, context);
    const data = unwrapResult(compiled, outcome);
    return { outcome, text: result.kind === 'text' ? textOf(result, data) : JSON.stringify(resultOf(result, data)) };
  } finally {
    releasePermits(context);
  }
}

function textOf({ name, field }: TextResult, data: Record<string, unknown>): string {
  return (data[name] as Record<string, string>)[field] ?? '';
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
  const message = createMessage(kind, declared);
  for (const name of names) {
    if (errors.length === MAX_UNKNOWN_NAMES) break;
    if (!declared.includes(name)) errors.push({ field: name.length > 60 ? `${name.slice(0, 60)}…` : name, message });
  }
  return errors;
}

function argumentsOf(compiled: CompiledEndpoint, values: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [compiled.arguments.get(name)?.name ?? name, value]),
  );
}
