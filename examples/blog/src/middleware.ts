/** Every request: session, language, protection against requests from other sites, and pages for errors. `server.js` adds headers. */
import { defineMiddleware } from 'astro:middleware';
import { ownPath } from './lib/format';
import { readForm } from './lib/forms';
import { Service, ServiceError } from './lib/service';
import { Session } from './lib/session';
import { languageOf, TEXTS } from './lib/texts';

/** Pages differ by visitor and language. */
const HEADERS = { 'Cache-Control': 'private, no-cache', Vary: 'Cookie, Accept-Language' };

export const onRequest = defineMiddleware(async (context, next) => {
  const { request, url, locals, cookies } = context;
  // The second pass, for the page of an error.
  if (locals.problem) return next();
  const chosen = url.searchParams.get('ui');
  if (chosen) {
    cookies.set('language', chosen === 'ko' ? 'ko' : 'en', { path: '/', sameSite: 'lax', maxAge: 31_536_000 });
    url.searchParams.delete('ui');
    return context.redirect(ownPath(url.pathname + url.search), 303);
  }
  locals.language = languageOf(cookies.get('language')?.value, request.headers.get('accept-language'));
  locals.t = TEXTS[locals.language];
  locals.wantsJson = request.headers.get('accept') === 'application/json';
  locals.form = null;
  locals.service = new Service(new Session(cookies), {
    'Accept-Language': locals.language,
    'X-Forwarded-For': request.headers.get('x-forwarded-for') ?? context.clientAddress,
    'User-Agent': request.headers.get('user-agent') ?? '',
  });
  let response: Response;
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      if (isForeign(request)) return new Response('This request is from another site.', { status: 403 });
      locals.form = await readForm(context);
    }
    // Routes that Astro adds, and no page of this site uses.
    if (url.pathname.startsWith('/_')) throw new ServiceError('ROUTE_NOT_FOUND');
    response = await next();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, fields, status } = error;
    if (locals.wantsJson) response = Response.json({ code, message, fields }, { status });
    else {
      locals.problem = error;
      response = await context.rewrite(new Request(new URL('/problem', url), { headers: request.headers }));
    }
  }
  for (const [name, value] of Object.entries(HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
});

/** Cookies are sent with requests that a page of another site makes, too. */
function isForeign({ headers }: Request): boolean {
  const origin = headers.get('origin');
  if (origin === null) return headers.get('sec-fetch-site') !== 'same-origin';
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host');
}
