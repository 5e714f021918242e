/** Security headers of all responses. */
import type Koa from 'koa';
import type { Config } from '../config/index.js';

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
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** With Strict-Transport-Security (RFC 6797) only where clients use https: browsers ignore it in plain HTTP. */
export function setSecurityHeaders({
  publicUrl,
  hstsMaxAgeMs,
}: Pick<Config, 'publicUrl' | 'hstsMaxAgeMs'>): Koa.Middleware {
  const isStrict = publicUrl.startsWith('https://') && hstsMaxAgeMs > 0;
  const headers = {
    ...SECURITY_HEADERS,
    ...(isStrict && { 'Strict-Transport-Security': `max-age=${Math.floor(hstsMaxAgeMs / 1000)}` }),
  };
  return (ctx, next) => {
    ctx.set(headers);
    return next();
  };
}
