/** The client that a task in a shared queue counts for, and the signal that drops it when the client disconnects. */

import type { TaskOptions } from '../concurrency/weighted-semaphore.js';
import { networkOf } from '../http/client-address.js';
import type { ClientFacts } from '../http/request.js';

/** What a request is queued by. */
export interface QueuedRequest {
  readonly viewer: { readonly memberId: number } | null;
  readonly client: ClientFacts;
  readonly gone: () => AbortSignal;
}

type Client = Pick<QueuedRequest, 'client' | 'gone'>;

/** For what everybody may do, members in their own name. */
export function clientTask(request: QueuedRequest): Required<Pick<TaskOptions, 'key' | 'signal'>> {
  return request.viewer ? memberTask(request, request.viewer.memberId) : networkTask(request);
}

/** For logins and registrations: counts for the network, whatever token the client sends with it. */
export function networkTask({ client, gone }: Client): Required<Pick<TaskOptions, 'key' | 'signal'>> {
  return { key: networkOf(client.address), signal: gone };
}

/** For what members do. The key never equals a network. */
export function memberTask({ gone }: Client, memberId: number): Required<Pick<TaskOptions, 'key' | 'signal'>> {
  return { key: `m${memberId}`, signal: gone };
}
