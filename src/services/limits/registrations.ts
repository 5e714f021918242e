/** The registration limit of a network: bounds the number of accounts, and of password hashes computed for them. */
import { networkOf } from '../../platform/http/client-address.js';
import type { ClientInfo } from '../../platform/http/request.js';
import type { Limits } from './limits.js';
import { assertNotRateLimited } from './rate-limiter.js';

/** Counts an attempt to create an account, after validation and before expensive work. @throws AppError RATE_LIMITED */
export async function countRegistration({ limits, client }: { limits: Limits; client: ClientInfo }): Promise<void> {
  assertNotRateLimited(await limits.register.count(networkOf(client.address)), 'registrations');
}
