/** Security headers of all responses. */
import type Koa from 'koa';

/**
 * OWASP REST Security Cheat Sheet, "Security Headers". They are constant, and therefore not computed for each response.
 * HTML pages replace the Content-Security-Policy with one that allows their own resources.
 */
export const SECURITY_HEADERS = {
  // RFC 6749 §5.1 requires no-store for responses with tokens; cacheable responses override it.
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
