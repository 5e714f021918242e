/** Headers that keep a browser from doing more with an answer than showing it. */
import type Koa from 'koa';

/**
 * OWASP REST Security Cheat Sheet, "Security Headers". They are the same for every answer, so that they are written down here
 * instead of being put together for each. Pages replace the content security policy with one that lets them load their own.
 */
export const SECURITY_HEADERS = {
  // RFC 6749 §5.1 asks it of answers with tokens; what may be kept says so itself.
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export const setSecurityHeaders: Koa.Middleware = (ctx, next) => {
  ctx.set(SECURITY_HEADERS);
  return next();
};
