/** Limits the concurrency of expensive operations and the size of their responses, for GraphQL and REST. */
import { setImmediate } from 'node:timers/promises';
import { type Release, type TaskOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Config } from '../../platform/config/index.js';
import { createMessage } from '../../platform/messages/message.js';
import { limitError } from '../../platform/observability/metrics/error.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import { clientTask, type QueuedRequest } from './client-task.js';
import { jsonSize, largestTextSize, textSizes } from './json-size.js';

/** Operations up to this cost have no long text. */
const WITHOUT_TEXT = 800;

/** Operations up to this cost take less than 2 ms, and run beside other operations of their client. */
const CHEAP = 1_000;

/** Responses are measured precisely from this cost. Those of cheaper operations are at most slightly larger than 4 MiB. */
const MEASURED = 10_000;

/** For feeds and pages of the service, whose responses have no maximum size. */
export const COST_OF_PAGES = MEASURED;

/** Smaller ones are serialized in less than 1 ms, without a precise measurement. */
const SMALL_RESPONSE_BYTES = 256 * 1024;

const COUNTED_BYTES_PER_SECOND = fixedLimit({
  area: 'GraphQL',
  value: 16 * 1024 * 1024,
  unit: 'bytes',
  error: 'SERVICE_UNAVAILABLE',
  about:
    'Large results (above 256 KiB, with six bytes for each character) of one network in a second, in each process. After a larger one, the next operations of this network with a cost above 800 wait in the queue of expensive operations, and then run one at a time, so that others keep most of the processor time. The texts of an archive count too.',
});

const MAX_WAITING = fixedLimit({
  area: 'GraphQL',
  value: 1_000,
  error: 'SERVICE_UNAVAILABLE',
  about: 'Expensive operations that wait in each process. Waiting clients are served in turn.',
});

const MAX_WAIT_MS = fixedLimit({
  area: 'GraphQL',
  value: 10_000,
  unit: 'ms',
  error: 'SERVICE_UNAVAILABLE',
  about: 'Maximum time that an expensive operation waits.',
});

const LARGE_RESPONSE_BYTES = fixedLimit({
  area: 'GraphQL',
  value: 4 * 1024 * 1024,
  unit: 'bytes',
  error: 'SERVICE_UNAVAILABLE',
  about: 'Size from which responses are built one at a time in each process; up to four more wait.',
});

/** The cost and the permits of a request's operation. */
export interface OperationBudget {
  /** Estimated before execution. */
  cost: number;
  /** Release functions of the permits that the request holds. */
  readonly permits: Release[];
  /** Resolves when the request may search. */
  search?: Promise<void>;
}

/** A request whose operation is limited. */
export interface LimitedRequest extends QueuedRequest {
  readonly budget: OperationBudget;
}

export class OperationLimits {
  readonly operations: WeightedSemaphore;
  readonly largeResponses = new WeightedSemaphore({
    work: 'large responses',
    permits: 1,
    maxWaiting: 4,
    maxWaitingPerKey: 2,
    maxWaitMs: MAX_WAIT_MS,
  });
  readonly #maxBytes: number;

  constructor({ maxCost, maxResponseBytes }: Config['graphqlLimits']) {
    this.#maxBytes = maxResponseBytes;
    this.operations = new WeightedSemaphore({
      work: 'expensive operations',
      permits: maxCost,
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
    });
    observeQueue(this.operations);
    observeQueue(this.largeResponses);
  }

  /**
   * Waits until an operation of this cost may run. The permit is released with the request (`releasePermits`).
   * @throws AppError SERVICE_UNAVAILABLE
   */
  admit(request: LimitedRequest, cost: number): Promise<void> | undefined {
    request.budget.cost = cost;
    if (cost <= WITHOUT_TEXT) return undefined;
    const task = cost <= CHEAP ? lightTask(request) : { ...clientTask(request), weight: cost };
    return addPermit(request, this.operations.acquire(task));
  }

  /**
   * Waits until a response with this result may be serialized.
   * @throws AppError QUERY_TOO_COMPLEX, SERVICE_UNAVAILABLE
   */
  admitResult(request: LimitedRequest, result: unknown): Promise<void> | undefined {
    const { cost } = request.budget;
    if (cost <= WITHOUT_TEXT) return undefined;
    if (!this.countResult(request, result)) return undefined;
    return cost < MEASURED ? undefined : this.#admitMeasured(request, result);
  }

  /** Reading, serializing and sending a result takes time in proportion to its size. @returns whether it is large */
  countResult(request: LimitedRequest, result: unknown): boolean {
    const bytes = jsonSize(result, Number.POSITIVE_INFINITY, largestTextSize);
    if (bytes <= SMALL_RESPONSE_BYTES) return false;
    this.operations.pause(clientTask(request).network, (1_000 * bytes) / COUNTED_BYTES_PER_SECOND);
    return true;
  }

  /** Waits while the results of the network are too large, for a request that does not hold a permit. @throws AppError SERVICE_UNAVAILABLE */
  async waitForTurn(request: LimitedRequest): Promise<void> {
    const release = await this.operations.acquire(lightTask(request));
    release();
  }

  async #admitMeasured(request: LimitedRequest, result: unknown): Promise<void> {
    // Yields to the event loop between the execution and the measurement, so that other requests are served.
    await setImmediate();
    const bytes = jsonSize(result, this.#maxBytes, textSizes());
    const isPage = request.budget.cost === COST_OF_PAGES;
    if (bytes > this.#maxBytes && !isPage) {
      const message = createMessage('responseTooLarge', this.#maxBytes / 1024 / 1024);
      throw limitError('response bytes', 'QUERY_TOO_COMPLEX', { message });
    }
    if (bytes <= LARGE_RESPONSE_BYTES) return;
    // Other operations may run while this one waits to be serialized.
    releasePermits(request);
    if (isPage) {
      // For the end of the pause of its network: many readers can request a feed at the same time.
      await addPermit(request, this.operations.acquire(lightTask(request)));
    } else {
      const task = clientTask(request);
      await addPermit(request, this.largeResponses.acquire(task));
      this.largeResponses.pause(task.network, (1_000 * bytes) / COUNTED_BYTES_PER_SECOND);
    }
    // The one before was serialized in this turn of the event loop.
    await setImmediate();
  }
}

/** It waits for the end of a pause, but not behind the expensive operations of its client. */
function lightTask(request: LimitedRequest): TaskOptions {
  const task = clientTask(request);
  return { ...task, key: `${task.key} light`, weight: 1 };
}

/** Adds a permit to the request. @returns undefined if the permit was available immediately */
function addPermit({ budget }: LimitedRequest, release: Release | Promise<Release>): Promise<void> | undefined {
  if (release instanceof Promise) return release.then((acquired) => void budget.permits.push(acquired));
  budget.permits.push(release);
  return undefined;
}

/** To be called when the response has been built, or has failed. */
export function releasePermits({ budget }: LimitedRequest): void {
  for (const release of budget.permits.splice(0)) release();
}
