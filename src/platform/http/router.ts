/** Routes requests by path and method: 404 for unknown paths, 405 with `Allow` for other methods, OPTIONS, and HEAD wherever GET exists. */
import Router, { type Layer } from '@koa/router';
import type Koa from 'koa';
import { AppError, routeNotFound } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { nearestPathTo } from './nearest-path.js';
import type { RequestState } from './request.js';

/** `params` are the decoded path parameters. */
export type RouteContext = Koa.ParameterizedContext<RequestState> & { params: Record<string, string> };
export type Handler = (ctx: RouteContext) => void | Promise<void>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters in braces match one segment or a part of it: `/sitemap-{part}.xml`. Also the name of the route in the log and the metrics. */
  readonly path: string;
  readonly handle: Handler;
  /** If false, the response to any method is that of an unknown path. */
  readonly exists?: (ctx: RouteContext) => boolean;
}

export function get(path: string, handle: Handler, exists?: Route['exists']): Route {
  return { method: 'GET', path, handle, ...(exists && { exists }) };
}

/** Order of the methods in `Allow`, which like most servers does not list OPTIONS. */
const ALLOW_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Matches paths without parameters first, in a Map: testing one pattern after the other takes longer (docs/decisions/routes.md).
 * @throws Error if two routes have the same method and path
 */
export function createRouter(routes: readonly Route[]): Koa.Middleware<RequestState> {
  const fixed = new Map<string, RouteGroup>();
  const resources = new Set(routes.flatMap(({ path }) => /^\/api\/(\w+)/.exec(path)?.[1] ?? []));
  const patterns = new Map<string, Pattern[]>();
  // Makes regular expressions of patterns. As a middleware it would take longer than all others together.
  const router = new Router({ sensitive: true, strict: true });
  for (const group of groupByPath(routes)) {
    if (!group.path.includes('{')) {
      fixed.set(group.path, group);
      continue;
    }
    const key = prefixOf(group.path);
    const { regexp, paramNames } = router.register(group.path.replace(/\{(\w+)\}/g, ':$1'), ['GET'], []) as Layer;
    patterns.set(key, [...(patterns.get(key) ?? []), { group, regexp, names: paramNames.map(({ name }) => name) }]);
  }
  const rest = patterns.get(NO_PREFIX) ?? [];
  // Whether paths with a condition exist may depend on settings and on data.
  const nearest = nearestPathTo([...new Set(routes.filter(({ exists }) => !exists).map(({ path }) => path))]);
  return (ctx) => {
    const { path } = ctx;
    const found = fixed.get(path);
    if (found) return found.dispatch(Object.assign(ctx, { params: {} }));
    requireDecodable(path);
    const matched = match(patterns.get(prefixOf(path)) ?? [], path) ?? match(rest, path);
    if (matched) return matched.group.dispatch(Object.assign(ctx, { params: matched.params }));
    throw routeNotFound(path, { isUnderApi: resources.has(path.split('/')[1] ?? ''), nearest: nearest(path) });
  };
}

/** A path with parameters. */
interface Pattern {
  readonly group: RouteGroup;
  readonly regexp: RegExp;
  readonly names: readonly string[];
}

/** @returns undefined if the path matches none. Its percent-encoding is valid */
function match(
  patterns: readonly Pattern[],
  path: string,
): { group: RouteGroup; params: Record<string, string> } | undefined {
  for (const { group, regexp, names } of patterns) {
    const values = regexp.exec(path);
    if (!values) continue;
    const params: Record<string, string> = {};
    for (const [index, name] of names.entries()) params[name] = decodeURIComponent(values[index + 1] ?? '');
    return { group, params };
  }
  return undefined;
}

const NO_PREFIX = '';

/** Patterns with the same prefix are tested one after the other: the first two segments, and the number of segments. */
function prefixOf(path: string): string {
  const [, first = '', second = '', ...more] = path.split('/');
  return more.length === 0 || `${first}${second}`.includes('{') ? NO_PREFIX : `${more.length} ${first}/${second}`;
}

/** Sorted so that the first match has fixed text where others have a parameter: `/articles/by-slug/{slug}` before `/articles/{id}/comments`. */
function groupByPath(routes: readonly Route[]): RouteGroup[] {
  const groups = new Map<string, RouteGroup>();
  for (const route of routes) {
    const pattern = route.path.replace(/\{\w+\}/g, '{}');
    const group = groups.get(pattern) ?? new RouteGroup(route);
    group.add(route);
    groups.set(pattern, group);
  }
  return [...groups.values()].sort((one, other) => (precedence(one) < precedence(other) ? -1 : 1));
}

/** For each segment: 0 if it is fixed, 1 if a part of it is, 2 if it is a parameter. Compared from the left. */
function precedence({ path }: RouteGroup): string {
  const rank = (segment: string) => (segment.includes('{') ? (/^\{\w+\}$/.test(segment) ? 2 : 1) : 0);
  return path.split('/').map(rank).join('');
}

/** The routes of one path. */
class RouteGroup {
  readonly path: string;
  readonly #exists: Route['exists'];
  readonly #handlers = new Map<string, Handler>();
  #allowed: readonly string[] = [];

  constructor({ path, exists }: Route) {
    this.path = path;
    this.#exists = exists;
  }

  add({ method, path, handle }: Route): void {
    if (this.#handlers.has(method)) throw new Error(`${method} ${path} is declared twice`);
    if (path !== this.path) throw new Error(`${method} ${path} names its parameters differently from ${this.path}`);
    this.#handlers.set(method, handle);
    if (method === 'GET') this.#handlers.set('HEAD', handle);
    this.#allowed = ALLOW_ORDER.filter((name) => this.#handlers.has(name));
  }

  dispatch(ctx: RouteContext): void | Promise<void> {
    if (this.#exists && !this.#exists(ctx)) throw routeNotFound(ctx.path);
    ctx.state.route = this.path;
    const handle = this.#handlers.get(ctx.method);
    if (handle) return handle(ctx);
    // RFC 9110 §15.5.6 and §9.3.7
    ctx.set('Allow', this.#allowed.join(', '));
    if (ctx.method === 'OPTIONS') ctx.status = 204;
    else
      throw new AppError('METHOD_NOT_ALLOWED', {
        message: createMessage('methodNotAllowed', this.#allowed, ctx.method),
      });
  }
}

/** @throws AppError BAD_REQUEST for invalid percent-encoding */
function requireDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: createMessage('invalidPercentEncoding'), cause });
  }
}
