/** The envelope of every REST answer: `{"code", "message", "data"}`, in that order. */
import type Koa from 'koa';
import type { AppError } from '../errors.js';

/** `data` is a JSON text, put in as it is. */
export function answer(ctx: Koa.Context, status: number, message: string, data: string): void {
  ctx.status = status;
  if (status === 204) return;
  ctx.type = 'application/json';
  ctx.body = `{"code":"1","message":${JSON.stringify(message)},"data":${data}}`;
}

/** RFC 9110 §11.6.1: a 401 names the way to authenticate; §10.2.3: how long to wait. */
export function refuse(ctx: Koa.Context, error: AppError): void {
  ctx.status = error.status;
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.type = 'application/json';
  const data = error.errors.length > 0 ? { errors: error.errors } : {};
  ctx.body = JSON.stringify({ code: error.key, message: error.message, data });
}
