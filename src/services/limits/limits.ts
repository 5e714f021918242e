/** The limits of the application. Login limits count rejected attempts; registrations and writes have a cap, and AI a daily budget. */
import ms from 'ms';
import { REPORTS } from '../../models/decision/report.js';
import { KeyedConcurrencyLimit } from '../../platform/concurrency/keyed-concurrency-limit.js';
import { type SemaphoreOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Config } from '../../platform/config/index.js';
import { sharedResource } from '../../platform/config/shared-resource.js';
import type { Database } from '../../platform/database/pool.js';
import { BufferedBytes } from '../../platform/http/buffered-bytes.js';
import { createMessage } from '../../platform/messages/message.js';
import type { Log } from '../../platform/observability/log.js';
import { limitError } from '../../platform/observability/metrics/error.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import { ARCHIVE_INTERVAL_MS, RUNNING_ARCHIVES } from './archives.js';
import { EMAIL_CHANGES, NOTICE_MAILS, NOTIFICATION_MAILS, REQUESTED_MAILS } from './mails.js';
import { OperationLimits } from './operations.js';
import { postgresStore } from './postgres-store.js';
import type { LimitStore, MultiLimiter, RateLimiter } from './rate-limiter.js';
import { SEARCHES } from './searches.js';

export interface Limits {
  /** Failed logins to one account from one network. */
  readonly loginPair: RateLimiter;
  /** Failed logins from one network, to all accounts together. */
  readonly loginNetwork: RateLimiter;
  /** Failed logins to one account, from all networks together. */
  readonly loginAccount: RateLimiter;
  /** Rejected refresh tokens from one network. */
  readonly refresh: RateLimiter;
  /** Rejected social logins from one network. */
  readonly social: RateLimiter;
  /** Wrong current passwords given by one member. */
  readonly password: RateLimiter;
  /** Attempts to create an account from one network. */
  readonly register: RateLimiter;
  /** Requests for links, and rejected links, from one network. */
  readonly recovery: RateLimiter;
  /** Changes of the email address that one member requests. */
  readonly emailChanges: RateLimiter;
  /** API tokens that one member creates. */
  readonly apiTokens: RateLimiter;
  /** Shared texts that are rendered for one network, and tokens of links from it that are not valid. */
  readonly sharedTexts: RateLimiter;
  /** Reports of one member. */
  readonly reports: RateLimiter;
  /** Options for passkeys requested from one network. */
  readonly passkeyOptions: RateLimiter;
  /** Emails to one address that were requested without a token, or while the address was not confirmed. */
  readonly requestedMails: RateLimiter;
  /** Emails of one kind to one member about the security of the account. */
  readonly notices: RateLimiter;
  /** Emails to one member about notifications, with the setting AT_ONCE. */
  readonly notificationMails: RateLimiter;
  /** Mutations of one member, and the bytes of text in them. */
  readonly writes: MultiLimiter;
  /** Saves of drafts of one member, and the bytes of text in those that change something. */
  readonly draftWrites: MultiLimiter;
  /** Calls to the AI provider that one member requested on one day. */
  readonly ai: RateLimiter;
  /** Summaries of new and edited articles of one member that the AI provider made on one day. */
  readonly automaticSummaries: RateLimiter;
  /** Running AI requests of one member. */
  readonly aiRequests: KeyedConcurrencyLimit;
  /** Running AI requests of all members. */
  readonly runningAiRequests: WeightedSemaphore;
  /** Downloads of the archive of one member. */
  readonly archives: RateLimiter;
  /** Running downloads of archives, by network, so that many accounts of one client do not take all permits. */
  readonly runningArchives: WeightedSemaphore;
  /** Running searches. */
  readonly searches: WeightedSemaphore;
  /** Expensive GraphQL and REST operations. */
  readonly operations: OperationLimits;
  /** Concurrent uploads of one member. */
  readonly uploads: KeyedConcurrencyLimit;
  /** Concurrent previews of articles of one member, and shared texts that are rendered for one client. */
  readonly previews: KeyedConcurrencyLimit;
  /** Memory for buffered request bodies. */
  readonly bufferedBytes: BufferedBytes;
  /** False while Redis, if it is configured, cannot be reached. */
  isStoreReachable(): boolean;
  /** Closes the connection to Redis, if there is one. */
  close(): Promise<void>;
}

const AI_REQUESTS_PER_MEMBER = fixedLimit({
  area: 'Queues',
  error: 'RATE_LIMITED',
  value: 3,
  about: 'Concurrent requests of one member for texts in another style and prompts, in each process.',
});

sharedResource({
  name: 'Requests to the AI provider',
  queue: 'AI requests',
  bound: '32 at a time; none wait',
  fairness: 'The next request is rejected.',
  largestShare: '3 of one member; 24 of one network',
  test: ['test/services/ai/budget.test.ts', 'are limited to 24 for a network and 32 per process'],
});

sharedResource({
  name: 'Uploads in progress',
  bound: 'BODY_MEMORY',
  fairness: 'The next upload is rejected.',
  largestShare: '8 of one member',
  test: ['test/platform/http/connections.test.ts', 'are limited per member when they are uploads'],
});

/** The client waits while its text is rewritten, so a process at its limit rejects the next request instead of queueing it. */
const RUNNING_AI_REQUESTS: SemaphoreOptions = {
  work: 'AI requests',
  permits: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 32,
    about: 'Concurrent requests of all members for texts in another style and prompts, in each process.',
  }),
  permitsPerNetwork: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 24,
    about: 'Concurrent requests of the members of one network for texts in another style and prompts, in each process.',
  }),
  maxWaiting: 0,
  maxWaitingPerKey: 1,
  maxWaitMs: 1,
};

const MAX_UPLOADS = fixedLimit({
  area: 'HTTP',
  error: 'RATE_LIMITED',
  value: 8,
  about: 'Concurrent uploads (multipart bodies) of one member, in each process.',
});

const MAX_PREVIEWS = fixedLimit({
  area: 'Queues',
  error: 'RATE_LIMITED',
  value: 3,
  about:
    'Concurrent previews of articles of one member, and shared texts that are rendered for one member or network, in each process.',
});

/** Loads the client library only if Redis is configured. */
async function openRedisStore(url: string, log: Log): Promise<LimitStore> {
  const { redisStore } = await import('./redis-store.js');
  return redisStore(url, log);
}

export async function openLimits(config: Config, database: Database, log: Log): Promise<Limits> {
  const store = config.redisUrl === null ? postgresStore(database) : await openRedisStore(config.redisUrl, log);
  const { limits, http, aiRequestsPerDay } = config;
  const daily = { points: aiRequestsPerDay, durationMs: ms('1d') };
  return {
    loginPair: store.limiter('login-pair', limits.loginPair),
    loginNetwork: store.limiter('login-address', limits.loginNetwork),
    loginAccount: store.limiter('login-account', limits.loginAccount),
    refresh: store.limiter('refresh', limits.refresh),
    social: store.limiter('social', limits.refresh),
    password: store.limiter('password', limits.loginPair),
    register: store.limiter('register', limits.register),
    recovery: store.limiter('recovery', limits.recovery),
    emailChanges: store.limiter('email-changes', EMAIL_CHANGES),
    apiTokens: store.limiter('api-tokens', limits.apiTokens),
    sharedTexts: store.limiter('shared-texts', limits.sharedTexts),
    reports: store.limiter('reports', REPORTS),
    passkeyOptions: store.limiter('passkey-options', limits.passkeyOptions),
    requestedMails: store.limiter('requested-mails', REQUESTED_MAILS),
    notices: store.limiter('notices', NOTICE_MAILS),
    notificationMails: store.limiter('notification-mails', NOTIFICATION_MAILS),
    writes: store.multiLimiter([
      { name: 'writes', ...limits.writes },
      { name: 'write-bytes', ...limits.writeBytes },
    ]),
    draftWrites: store.multiLimiter([
      { name: 'draft-writes', ...limits.draftWrites },
      { name: 'draft-bytes', ...limits.draftBytes },
    ]),
    archives: store.limiter('archives', { points: 1, durationMs: ARCHIVE_INTERVAL_MS }),
    runningArchives: observeQueue(new WeightedSemaphore(RUNNING_ARCHIVES)),
    searches: observeQueue(new WeightedSemaphore(SEARCHES)),
    operations: new OperationLimits(config.graphqlLimits),
    ai: store.limiter('ai', daily),
    automaticSummaries: store.limiter('automatic-summaries', daily),
    aiRequests: new KeyedConcurrencyLimit({
      max: AI_REQUESTS_PER_MEMBER,
      rejection: (max) =>
        limitError('AI requests at once', 'RATE_LIMITED', { message: createMessage('aiTooManyRunning', max) }),
    }),
    runningAiRequests: observeQueue(new WeightedSemaphore(RUNNING_AI_REQUESTS)),
    uploads: new KeyedConcurrencyLimit({
      max: MAX_UPLOADS,
      rejection: (max) =>
        limitError('uploads at once', 'RATE_LIMITED', { message: createMessage('tooManyUploads', max) }),
    }),
    previews: new KeyedConcurrencyLimit({
      max: MAX_PREVIEWS,
      rejection: (max) =>
        limitError('previews at once', 'RATE_LIMITED', { message: createMessage('tooManyPreviews', max) }),
    }),
    bufferedBytes: new BufferedBytes({
      processBytes: http.bodyMemoryBytes,
      networkBytes: http.bodyMemoryPerNetworkBytes,
    }),
    isStoreReachable: store.isReachable,
    close: store.close,
  };
}
