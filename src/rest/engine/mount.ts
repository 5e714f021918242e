/** Mounts the endpoints on a Koa router; responses to unknown paths and methods also use the envelope. */
import Router from '@koa/router';
import type Koa from 'koa';
import { AppError, routeNotFound } from '../../errors.js';
import type { RequestState } from '../../http/request.js';
import { createMessage } from '../../messages/message.js';
import type { Services } from '../../services.js';
import type { CompiledEndpoint } from './compile.js';
import { runEndpoint } from './run.js';

const PREFIX = '/api';

/** @throws Error where two endpoints have the same method and path. */
export function mountEndpoints(
  endpoints: readonly CompiledEndpoint[],
  services: Services,
): Koa.Middleware<RequestState> {
  checkUnique(endpoints);
  const router = new Router<RequestState>({ prefix: PREFIX, sensitive: true, strict: true });
  for (const compiled of staticFirst(endpoints)) {
    const { method, path } = compiled.endpoint;
    const route = PREFIX + path;
    router.register(toPattern(path), [method], (ctx) => {
      ctx.state.route = route;
      return runEndpoint(compiled, services, ctx);
    });
  }
  const routes = router.routes();
  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${PREFIX}/`) && ctx.path !== PREFIX) return next();
    requireDecodable(ctx.path);
    await routes(ctx as never, async () => refuseUnmatched(router, ctx));
  };
}

function checkUnique(endpoints: readonly CompiledEndpoint[]): void {
  const seen = new Set<string>();
  for (const { method, path } of endpoints.map(({ endpoint }) => endpoint)) {
    const key = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    if (seen.has(key)) throw new Error(`${method} ${path} is declared twice`);
    seen.add(key);
  }
}

/** Sorts static paths before parameterised ones: `/articles/me` before `/articles/{articleId}`. */
function staticFirst(endpoints: readonly CompiledEndpoint[]): CompiledEndpoint[] {
  const parameters = ({ endpoint }: CompiledEndpoint) => endpoint.path.split('{').length;
  return [...endpoints].sort((a, b) => parameters(a) - parameters(b));
}

function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function requireDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: createMessage('invalidPercentEncoding'), cause });
  }
}

/** @throws AppError for a 404, or a 405 with the supported methods in `Allow` (RFC 9110 §15.5.6) */
function refuseUnmatched(router: Router<RequestState>, ctx: Koa.Context): never {
  const { path: layers } = router.match(ctx.path, ctx.method);
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))];
  if (methods.length === 0) throw routeNotFound(ctx.path);
  ctx.set('Allow', methods.join(', '));
  throw new AppError('METHOD_NOT_ALLOWED', { message: createMessage('methodNotAllowed', methods, ctx.method) });
}
