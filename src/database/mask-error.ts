/** Maps any error to an error for the client: an AppError is reported unchanged, other errors are masked and logged. */
import { BaseError, ConnectionError } from 'sequelize';
import { AppError } from '../errors.js';
import type { Log } from '../observability/log.js';
import { sqlState } from './pool.js';

/** SQLSTATE: connection exceptions, insufficient resources, shutdown, statement timeout, lock timeout. */
const UNAVAILABLE = /^(08|53|57P0|57014|55P03)/;
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** Other errors than AppErrors are masked and logged once with the request id, except an AbortError, which is not logged. */
export function maskError(error: unknown, log: Log, requestId: string): AppError {
  if (error instanceof AppError) return error;
  // The client disconnected while its request waited.
  if (error instanceof DOMException && error.name === 'AbortError') return unavailable(error);
  const failure = isUnavailable(error) ? unavailable(error) : new AppError('INTERNAL_ERROR', { cause: error });
  log.error({ requestId, code: failure.key, err: describe(error) }, 'request failed');
  return failure;
}

function unavailable(cause: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { cause });
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionError || /Connection terminated/.test(String(error))) return true;
  const code = typeof error === 'object' && error !== null ? sqlState(error) : undefined;
  return code !== undefined && (NETWORK.has(code) || UNAVAILABLE.test(code));
}

/** Error type, code and stack for the log. The message of a database error may quote a row, so only its code is logged. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const isFromDatabase = error instanceof BaseError || sqlState(error) !== undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return {
    type: error.name,
    code: sqlState(error),
    message: isFromDatabase ? undefined : error.message,
    stack: frames.slice(0, 12).join('\n'),
  };
}
