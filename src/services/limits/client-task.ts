/** Options of a task in a shared queue: the key that it counts for, and the signal that drops it when the client disconnects. */
import type { TaskOptions } from '../../platform/concurrency/weighted-semaphore.js';
import {
  type DatabaseClient,
  WRITES_PER_MEMBER,
  WRITES_WITHOUT_TOKEN,
} from '../../platform/database/connection-shares.js';
import { networkOf } from '../../platform/http/client-address.js';
import type { ClientInfo } from '../../platform/http/request.js';

/** The part of a request that determines its key and signal in a queue. */
export interface QueuedRequest {
  readonly viewer: { readonly memberId: number } | null;
  readonly client: ClientInfo;
  readonly disconnectSignal: () => AbortSignal;
}

type QueueClient = Required<Pick<TaskOptions, 'key' | 'network' | 'signal'>>;
type Client = Pick<QueuedRequest, 'client' | 'disconnectSignal'>;

/** For operations that do not require a login: counts for the member where there is one, otherwise for the network. */
export function clientTask(request: QueuedRequest): QueueClient {
  return request.viewer ? memberTask(request, request.viewer.memberId) : networkTask(request);
}

/** For logins and registrations: counts for the network, also where the client sends an access token. */
export function networkTask({ client, disconnectSignal }: Client): QueueClient {
  const network = networkOf(client.address);
  return { key: network, network, signal: disconnectSignal };
}

/** For operations of members. The key never equals a network. */
export function memberTask({ client, disconnectSignal }: Client, memberId: number): QueueClient {
  return { key: `m${memberId}`, network: networkOf(client.address), signal: disconnectSignal };
}

/** For jobs: background work has the turns of one network, and its members take turns within it. */
export function jobTask(memberId: number, signal: AbortSignal): QueueClient {
  return { key: `m${memberId}`, network: 'jobs', signal: () => signal };
}

/** Whom the statements of a request count for. @param memberId undefined without a token, or before it has been verified */
export function databaseClient({ address }: ClientInfo, memberId: number | undefined): DatabaseClient {
  const network = networkOf(address);
  if (memberId === undefined) return { key: network, network, maxWrites: WRITES_WITHOUT_TOKEN };
  return { key: `m${memberId}`, network, maxWrites: WRITES_PER_MEMBER };
}
