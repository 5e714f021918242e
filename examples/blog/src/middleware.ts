/** Every request: session, language, protection against requests from other sites, headers, and pages for errors. */
import { defineMiddleware } from 'astro:middleware';
import { PUBLIC_URL, Service, ServiceError } from './lib/service';
import { Session } from './lib/session';
import { languageOf, TEXTS } from './lib/texts';

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    // Articles can have images of other sites. Remove `https:` if yours may not.
    `img-src 'self' data: https: ${new URL(PUBLIC_URL).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-Content-Type-Options': 'nosniff',
  // Pages differ by visitor and language.
  'Cache-Control': 'private, no-cache',
  Vary: 'Cookie, Accept-Language',
};

/** Longer than a text of 100,000 characters and an image. */
const MOST_BYTES = 12_000_000;

export const onRequest = defineMiddleware(async (context, next) => {
  const { request, url, locals, cookies } = context;
  // The second pass, for the page of an error.
  if (locals.problem) return next();
  const chosen = url.searchParams.get('ui');
  if (chosen) {
    cookies.set('language', chosen === 'ko' ? 'ko' : 'en', { path: '/', sameSite: 'lax', maxAge: 31_536_000 });
    url.searchParams.delete('ui');
    return context.redirect(url.pathname + url.search, 303);
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
      if (Number(request.headers.get('content-length') ?? 0) > MOST_BYTES)
        return new Response('Too large.', { status: 413 });
      locals.form = await request.formData();
    }
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
