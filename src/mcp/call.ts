/** Executes a call of a tool: its arguments become the input of an endpoint, whose response becomes the result. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.js';
import { AppError, type FieldError } from '../platform/errors.js';
import type { RouteContext } from '../platform/http/router.js';
import { createMessage } from '../platform/messages/message.js';
import { beginningOf, inspectValue } from '../platform/text.js';
import { type Conditions, callEndpoint } from '../rest/engine/run.js';
import type { RequestInput } from '../rest/engine/source.js';
import type { Json } from '../rest/openapi/json-schema.js';
import { requireKey } from '../services/idempotency/key.js';
import { type CompiledCall, type CompiledTool, isArgumentOf, isRequiredBy } from './compile.js';
import { resultText, type ToolResult } from './result.js';
import { selectData } from './selection.js';
import { IF_REVISION, REQUEST_ID } from './tool.js';

type Arguments = Readonly<Record<string, unknown>>;

/** @param ctx of the request, whose response is not touched. @throws AppError as the endpoint, with the names of the arguments */
export async function callTool(
  compiled: CompiledTool,
  args: Arguments,
  context: Context,
  ctx: RouteContext,
): Promise<ToolResult> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const call = compiled.calls.find(
    ({ when }) => when === undefined || (given[when] !== undefined && given[when] !== false),
  );
  if (!call) throw new AppError('INTERNAL_ERROR');
  const errors = findWrong(compiled, call, given);
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
  const conditions = conditionsOf(given);
  try {
    const write = (data: unknown) => resultText(selectData(call.selection, data) as Record<string, unknown>);
    const input = inputOf(call, given);
    return JSON.parse(await callEndpoint(call.endpoint, context, requestFor(call, ctx), input, conditions, write));
  } catch (error) {
    if (!(error instanceof AppError) || error.errors.length === 0) throw error;
    throw new AppError(error.key, { message: error.clientMessage, errors: renamed(call, error.errors), cause: error });
  }
}

/** What the endpoint does not check: names, the arguments that it does not have, and texts that are parameters of a URL. */
function findWrong({ tool: { args }, calls }: CompiledTool, call: CompiledCall, given: Arguments): FieldError[] {
  const allowed = Object.keys(args).filter((name) => isArgumentOf(call, name));
  const unknown = Object.keys(given).filter((name) => !allowed.includes(name));
  const { when } = call;
  return [
    ...unknown.slice(0, 20).map((name) => ({
      field: beginningOf(name, 60),
      message:
        name in args && when !== undefined
          ? createMessage('notTogetherWith', when, allowed)
          : createMessage('unknownField', allowed),
    })),
    ...Object.entries(args).flatMap(([field, argument]) => {
      const value = given[field];
      if (value === undefined) {
        const isMissing = allowed.includes(field) && isRequiredBy(call, field, argument);
        return isMissing ? [{ field, message: explainMissing(calls, field) }] : [];
      }
      const message = explainWrong(argument.schema ?? textParameter(call, field), value);
      return message ? [{ field, message }] : [];
    }),
  ];
}

/** Names the arguments that choose an endpoint without this one. */
function explainMissing(calls: readonly CompiledCall[], name: string) {
  const others = calls.flatMap((call) => (call.when === undefined || isArgumentOf(call, name) ? [] : [call.when]));
  return others.length > 0 ? createMessage('requiredOr', others) : createMessage('required');
}

/** The schema of a text that is a part of a URL, in which every value is one. */
function textParameter({ inputs }: CompiledCall, name: string): Json {
  const { source, schema = {} } = inputs.get(name) ?? {};
  return source?.in !== 'field' && schema.type === 'string' ? schema : {};
}

function explainWrong({ type, minimum }: Json, value: unknown) {
  if (type === 'boolean')
    return typeof value === 'boolean' ? null : createMessage('mustBeBoolean', inspectValue(value));
  if (type === 'string') return typeof value === 'string' ? null : createMessage('mustBeString', inspectValue(value));
  if (type !== 'integer') return null;
  if (!Number.isSafeInteger(value)) return createMessage('mustBeWholeNumber', inspectValue(value));
  return Number(value) < Number(minimum) ? createMessage('mustBeFrom', Number(minimum), String(value)) : null;
}

/** @throws AppError VALIDATION_FAILED */
function conditionsOf({ [IF_REVISION]: ifRevision, [REQUEST_ID]: requestId }: Arguments): Conditions {
  return {
    key: requestId === undefined ? null : requireKey(REQUEST_ID, requestId as string),
    condition: ifRevision === undefined ? null : { ifRevision: ifRevision as number },
  };
}

/** Parameters of paths and queries are texts, as in a URL. */
function inputOf({ inputs }: CompiledCall, given: Arguments): RequestInput {
  const params: Record<string, string> = {};
  const query = new URLSearchParams();
  const fields: Record<string, unknown> = {};
  for (const [name, { source }] of inputs) {
    const value = given[name];
    if (value === undefined) continue;
    if (source.in === 'field') fields[source.name] = value;
    else if (source.in === 'path') params[source.name] = urlText(value);
    else query.append(source.name, urlText(value));
  }
  return { params, query, headers: {}, fields, file: undefined, hasBody: true, pageBase: 1 };
}

function urlText(value: unknown): string {
  return typeof value === 'string' ? value : inspectValue(value);
}

function renamed({ inputs }: CompiledCall, errors: readonly FieldError[]): FieldError[] {
  const names = new Map([...inputs].map(([name, { source }]) => [source.name, name]));
  return errors.map(({ field, message }) => ({ field: names.get(field) ?? field, message }));
}

/** A request for the endpoint, without the headers of this one, whose response is not sent. */
function requestFor({ endpoint }: CompiledCall, ctx: RouteContext): RouteContext {
  const { authorization } = ctx.headers;
  const req: IncomingMessage = Object.create(ctx.req, {
    method: { value: endpoint.endpoint.method },
    headers: { value: authorization === undefined ? {} : { authorization } },
  });
  const unsent = ctx.app.createContext(req, new ServerResponse(req));
  return Object.assign(unsent, { state: { ...ctx.state }, params: {} }) as RouteContext;
}
