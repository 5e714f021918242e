/** The cap on registrations: bounds the accounts that one network can create, and the hashes that it can cause. */

import { networkOf } from '../http/client-address.js';
import type { ClientFacts } from '../http/request.js';
import { requireNoWait } from './limiter.js';
import type { Limits } from './limits.js';

/** Counts an attempt to create an account: after validation, before anything costly. @throws AppError RATE_LIMITED */
export async function countRegistration({ limits, client }: { limits: Limits; client: ClientFacts }): Promise<void> {
  requireNoWait(await limits.register.count(networkOf(client.address)), 'registrations');
}
