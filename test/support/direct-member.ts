/**
 * Members and sessions for tests, by the commands of the service without requests: registration and login were half of all requests of the tests.
 * The rows, events, counts and emails are those of a request.
 */
import { register } from '../../src/commands/register.js';
import { type Context, contextFor } from '../../src/context.js';
import { AppError } from '../../src/platform/errors.js';
import { openSession, type TokenPair } from '../../src/services/auth/session.js';
import type { OpenServices } from '../../src/services/index.js';

/** Of the applications that run in this process, by URL. */
export const services = new Map<string, OpenServices>();

/** As of `send` in `request.ts`. */
const CLIENT = { address: '127.0.0.1', device: 'node' };

function contextAt(url: string): Context | null {
  const found = services.get(url);
  if (!found) return null;
  const disconnectSignal = () => new AbortController().signal;
  const info = { requestId: '', authorization: undefined, client: CLIENT, purpose: '', disconnectSignal } as const;
  return contextFor(found, { ...info, language: 'en' }, null);
}

/** @param account with values that the validation does not change @returns null if a request is needed */
export async function registerDirectly(
  url: string,
  account: { email: string; password: string; memberName: string },
): Promise<{ id: number; nickname: string } | null> {
  const context = contextAt(url);
  const registered = context && (await register(context, account).catch(nullIfBusy));
  return registered?.account ?? null;
}

/** @returns null if a request is needed */
export async function openSessionDirectly(url: string, memberId: number): Promise<TokenPair | null> {
  const context = contextAt(url);
  return context && openSession(context, memberId, { passwordHash: null }).catch(nullIfBusy);
}

/** A request is repeated. */
function nullIfBusy(error: unknown): null {
  if (error instanceof AppError && error.key === 'SERVICE_UNAVAILABLE') return null;
  throw error;
}
