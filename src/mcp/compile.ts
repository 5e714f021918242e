/** Compiles the tools: their arguments and results follow from the endpoints that they call. */
import type { GraphQLSchema } from 'graphql';
import type { Api } from '../rest/api.js';
import type { CompiledEndpoint } from '../rest/engine/compile.js';
import { type DescribedInput, inputsByName } from '../rest/openapi/inputs.js';
import type { Json } from '../rest/openapi/json-schema.js';
import { describeSelection } from '../rest/openapi/selection.js';
import { firstUnmet } from '../services/auth/api-token.js';
import type { Viewer } from '../services/auth/policy.js';
import { parseSelection, type Selection, selectSchema, unionOf } from './selection.js';
import type { Argument, Call, Effect, Tool } from './tool.js';
import { READ_TOOLS as read } from './tools/read.js';
import { WRITE_TOOLS as write } from './tools/write.js';

export const TOOLS: readonly Tool[] = [
  read.searchArticles,
  read.listArticles,
  read.readArticle,
  read.readComments,
  write.listDrafts,
  write.readDraft,
  write.saveDraft,
  write.publishDraft,
  write.listReceivedComments,
  write.replyToComment,
  write.setCommentApproval,
  read.articleStatistics,
  read.listChanges,
];

export interface CompiledCall extends Pick<Call, 'when' | 'conditions'> {
  readonly endpoint: CompiledEndpoint;
  /** By the name of the argument. */
  readonly inputs: ReadonlyMap<string, DescribedInput>;
  readonly selection: Selection;
}

/** A tool as `tools/list` has it. */
interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { type: 'object'; [key: string]: unknown };
  readonly outputSchema: { type: 'object'; [key: string]: unknown };
  readonly annotations: Readonly<Record<string, boolean>>;
}

export interface CompiledTool {
  readonly tool: Tool;
  readonly calls: readonly CompiledCall[];
  readonly definition: ToolDefinition;
}

/** @throws Error if a tool does not match its endpoints */
export function compileTools(api: Api): ReadonlyMap<string, CompiledTool> {
  return new Map(TOOLS.map((tool) => [tool.name, compileTool(api, tool)]));
}

/** Whether a request may call the tool, with any of its endpoints. */
export function isPermitted({ calls }: CompiledTool, viewer: Viewer | null): boolean {
  return calls.some(({ endpoint }) => {
    if (!viewer) return endpoint.endpoint.auth === 'none';
    return viewer.scopes === null || !firstUnmet(viewer.scopes, endpoint.scopeNeeds);
  });
}

function compileTool(api: Api, tool: Tool): CompiledTool {
  try {
    const calls = tool.calls.map((call) => compileCall(api, tool, call));
    for (const name of Object.keys(tool.args)) {
      if (calls.every((call) => !isArgumentOf(call, name))) throw new Error(`no endpoint has an input ${name}`);
    }
    const { name, title, description, effect } = tool;
    const inputSchema = inputSchemaOf(tool, calls);
    const outputSchema = outputSchemaOf(api.schema, calls);
    return {
      tool,
      calls,
      definition: { name, title, description, inputSchema, outputSchema, annotations: ANNOTATIONS[effect] },
    };
  } catch (cause) {
    throw new Error(`the tool ${tool.name}: ${(cause as Error).message}`, { cause });
  }
}

/** All four of each, since clients assume the most dangerous of those that are absent. */
const ANNOTATIONS: Readonly<Record<Effect, Readonly<Record<string, boolean>>>> = {
  read: annotations({ readOnly: true, destructive: false, idempotent: true, openWorld: false }),
  save: annotations({ readOnly: false, destructive: false, idempotent: false, openWorld: false }),
  add: annotations({ readOnly: false, destructive: false, idempotent: false, openWorld: true }),
  replace: annotations({ readOnly: false, destructive: true, idempotent: false, openWorld: true }),
};

function annotations(hints: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.entries(hints).map(([name, value]) => [`${name}Hint`, value]));
}

function compileCall({ endpoints }: Api, { args }: Tool, { endpoint, when, conditions, output }: Call): CompiledCall {
  const found = endpoints.find(({ endpoint: one }) => `${one.method} ${one.path}` === endpoint);
  if (!found) throw new Error(`there is no endpoint ${endpoint}`);
  const known = inputsByName(found);
  const inputs = new Map(
    Object.entries(args).flatMap(([name, argument]) => {
      const input = known.get(argument.input ?? name);
      return input ? [[name, input] as const] : [];
    }),
  );
  const missing = [...known].find(([name, { isRequired }]) => isRequired && !hasInput(args, name));
  if (missing) throw new Error(`${endpoint} requires ${missing[0]}`);
  return {
    endpoint: { ...found, api: 'mcp', digest: `${found.digest}\n${output}` },
    inputs,
    selection: parseSelection(output),
    ...(when !== undefined && { when }),
    ...(conditions && { conditions }),
  };
}

function hasInput(args: Tool['args'], name: string): boolean {
  return Object.entries(args).some(([argument, { input = argument }]) => input === name);
}

/** Whether a call can have this argument. */
export function isArgumentOf({ inputs, when, conditions }: CompiledCall, name: string): boolean {
  return inputs.has(name) || when === name || conditions?.some((one) => one === name) === true;
}

/** Whether the call cannot be made without this argument. */
export function isRequiredBy({ inputs }: CompiledCall, name: string, { isRequired }: Argument): boolean {
  return isRequired === true || inputs.get(name)?.isRequired === true;
}

function inputSchemaOf({ args }: Tool, calls: readonly CompiledCall[]): ToolDefinition['inputSchema'] {
  const entries = Object.entries(args);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argumentSchema(name, argument, calls)])),
    required: entries
      .filter(([name, argument]) => calls.every((call) => isRequiredBy(call, name, argument)))
      .map(([name]) => name),
    additionalProperties: false,
  };
}

function argumentSchema(name: string, { description, schema }: Argument, calls: readonly CompiledCall[]): Json {
  const input = calls.map(({ inputs }) => inputs.get(name)).find((one) => one !== undefined);
  return { ...concise(schema ?? input?.schema ?? {}), description: description ?? input?.description };
}

/** What a model does not need: the errors name the rest. */
const OMITTED = ['format', 'pattern', 'minLength', 'description', 'examples'];

function concise(schema: Json): Json {
  const entries = Object.entries(schema).filter(([name, value]) => {
    const isTypeLimit = name === 'maximum' && Number(value) >= 2_147_483_647;
    return !OMITTED.includes(name) && !isTypeLimit;
  });
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'items' ? concise(value as Json) : value]));
}

function outputSchemaOf(schema: GraphQLSchema, calls: readonly CompiledCall[]): ToolDefinition['outputSchema'] {
  const components: Json = {};
  const schemas = calls.map(({ endpoint, selection }) =>
    selectSchema(selection, describeSelection(schema, endpoint, components), components),
  );
  return { ...unionOf(schemas), type: 'object' };
}
