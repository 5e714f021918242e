/** Maps any error to an error for the client: an AppError is reported unchanged, other errors are masked and logged. */
import { BaseError, ConnectionError } from 'sequelize';
import { AppError, ServiceFailure } from '../errors.js';
import { createMessage } from '../messages/message.js';
import type { Log } from '../observability/log.js';
import { sqlState } from './pool.js';

/**
 * SQLSTATE: connection exceptions, a standby (read-only, 0A000 for the unlogged table of the limits, or 55000 for the timeline), deadlocks and
 * serialisation failures after all retries, insufficient resources, lock timeout, statement timeout, transaction timeouts, shutdown,
 * I/O errors.
 */
const UNAVAILABLE = /^(08|0A000|25006|25P03|25P04|40001|40P01|53|55000|55P03|57014|57P0|58030)/;
/** Codes of Node: of the network. */
const NETWORK = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
  ...['EAI_AGAIN', 'ENOTFOUND'],
]);
/** The disk in the log by the code of PostgreSQL, or of Node: images are the only files that requests write. */
const FULL_DISKS = new Map([
  ['53100', 'database'],
  ['ENOSPC', 'data folder'],
  ['EDQUOT', 'data folder'],
]);
/** Errors of pg without a code: of a connection that has ended, before or during the statement. */
const CONNECTION_ENDED = /Connection terminated|is not queryable|timeout expired|Query read timeout/;

/** Other errors than AppErrors are masked and logged once with the request id, except an AbortError, which is not logged. */
export function maskError(error: unknown, log: Log, requestId: string): AppError {
  if (error instanceof AppError) return error;
  // The client disconnected while its request waited.
  if (error instanceof DOMException && error.name === 'AbortError') return unavailable(error);
  const disk = fullDisk(error);
  if (disk !== undefined) {
    const failure = new AppError('SERVICE_UNAVAILABLE', { message: createMessage('diskFull'), cause: error });
    log.error({ requestId, code: failure.key, disk, err: describeError(error) }, 'the disk is full: free space');
    return failure;
  }
  const failed = causesOf(error).find((cause) => cause instanceof ServiceFailure);
  if (failed) {
    const failure = unavailable(error);
    log.error(
      { requestId, code: failure.key, service: failed.service, err: describeError(failed) },
      'a service failed',
    );
    return failure;
  }
  const failure = isUnavailable(error) ? unavailable(error) : new AppError('INTERNAL_ERROR', { cause: error });
  log.error({ requestId, code: failure.key, err: describeError(error) }, 'request failed');
  return failure;
}

function unavailable(cause: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { cause });
}

/** The error and its causes. */
function causesOf(error: unknown): object[] {
  const causes: object[] = [];
  for (let cause = error; typeof cause === 'object' && cause !== null && !causes.includes(cause); ) {
    causes.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  return causes;
}

/** Which disk is full, if that is the error or one of its causes. */
function fullDisk(error: unknown): string | undefined {
  const codes = causesOf(error).map((cause) => sqlState(cause) ?? '');
  return FULL_DISKS.get(codes.find((code) => FULL_DISKS.has(code)) ?? '');
}

function isUnavailable(error: unknown): boolean {
  return isDisconnected(error) || causesOf(error).some((cause) => UNAVAILABLE.test(sqlState(cause) ?? ''));
}

/** Whether the connection to the database has ended or cannot be opened, so that the next statement fails as well. */
export function isDisconnected(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = sqlState(cause) ?? '';
    return (
      cause instanceof ConnectionError ||
      CONNECTION_ENDED.test(String(cause)) ||
      NETWORK.has(code) ||
      /^(08|57P0)/.test(code)
    );
  });
}

/** SQLSTATE: errors of connections, logins, resources and operators, whose messages do not quote rows. */
const WITHOUT_ROWS = /^(08|28|3D|53|55|57|58)/;

/** Error type, code, message and stack for the log, without the message of a database error that may quote a row. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = sqlState(error);
  const mayQuote = (error instanceof BaseError || code !== undefined) && !WITHOUT_ROWS.test(code ?? '');
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return {
    type: error.name,
    code,
    message: mayQuote ? undefined : error.message,
    stack: frames.slice(0, 12).join('\n'),
  };
}
