/** Open connections or cursors by member, limited per member, because each open one uses memory. */
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';

/** Retry-After in seconds: the time in which a stream abandoned by its client should have been detected and closed. */
const RETRY_AFTER_SECONDS = 30;

export class ByMember<Open extends { readonly memberId: number }> {
  readonly #sets = new Map<number, Set<Open>>();

  /** @param limit maximum number of open ones of one member in this process */
  constructor(readonly limit: number) {}

  /** @throws AppError RATE_LIMITED where the member has the maximum number open */
  add(one: Open): void {
    const set = this.#sets.get(one.memberId) ?? new Set();
    const error = streamLimitError(set.size, this.limit);
    if (error) throw error;
    this.#sets.set(one.memberId, set.add(one));
  }

  /** @returns whether it was in the set */
  delete(one: Open): boolean {
    const set = this.#sets.get(one.memberId);
    const wasThere = set?.delete(one) ?? false;
    if (set?.size === 0) this.#sets.delete(one.memberId);
    return wasThere;
  }

  of(memberId: number): ReadonlySet<Open> {
    return this.#sets.get(memberId) ?? new Set();
  }

  members(): number[] {
    return [...this.#sets.keys()];
  }

  /** A copy, since callers may close (and so delete) entries while they iterate. */
  all(): Open[] {
    return [...this.#sets.values()].flatMap((set) => [...set]);
  }
}

/** The error for one more stream; null while fewer than `limit` are open. */
export function streamLimitError(open: number, limit: number): AppError | null {
  if (open < limit) return null;
  return new AppError('RATE_LIMITED', {
    message: createMessage('tooManyStreams', open, limit),
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
