/** The limits of the application. Login limits count rejected attempts; registrations and writes have a cap, and AI a daily budget. */
import ms from 'ms';
import { REPORTS } from '../../models/decision/report.js';
import { KeyedConcurrencyLimit } from '../../platform/concurrency/keyed-concurrency-limit.js';
import { type SemaphoreOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Config } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/pool.js';
import { BufferedBytes } from '../../platform/http/buffered-bytes.js';
import { createMessage, type Message } from '../../platform/messages/message.js';
import { limitError } from '../../platform/observability/metrics/error.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import { EMAIL_CHANGES, NOTICE_MAILS, NOTIFICATION_MAILS, REQUESTED_MAILS } from './mails.js';
import { OperationLimits } from './operations.js';
import { openRateLimiters } from './rate-limiter.js';

/** Searches never use all database connections. */
const SEARCHES: SemaphoreOptions = {
  work: 'searches',
  permits: 3,
  // A search can occupy a processor: those of one network leave the others to all other requests.
  permitsPerKey: 1,
  permitsPerNetwork: 1,
  maxWaiting: fixedLimit({
    area: 'Queues',
    about: 'Searches that wait in each process.',
    value: 200,
    error: 'SERVICE_UNAVAILABLE',
  }),
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    about: 'Searches that wait in each process for one member, or for the requests without a token from one network.',
    value: 40,
    error: 'RATE_LIMITED',
  }),
  maxWaitMs: fixedLimit({
    area: 'Queues',
    about: 'Maximum time that a search waits.',
    value: 5_000,
    unit: 'ms',
    error: 'SERVICE_UNAVAILABLE',
  }),
};

const ARCHIVE_INTERVAL_MS = fixedLimit({
  area: 'Accounts',
  about: 'Minimum time between two downloads of the archive of a member.',
  value: ms('1h'),
  unit: 'ms',
  error: 'RATE_LIMITED',
});

/** Downloads of archives, which read all data of a member and last as long as the client reads. */
const RUNNING_ARCHIVES: SemaphoreOptions = {
  work: 'archives',
  permits: 16,
  permitsPerKey: 4,
  maxWaiting: fixedLimit({
    area: 'Queues',
    about: 'Archive downloads that wait in each process.',
    value: 100,
    error: 'SERVICE_UNAVAILABLE',
  }),
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    about: 'Archive downloads of one network that wait in each process.',
    value: 20,
    error: 'RATE_LIMITED',
  }),
  maxWaitMs: fixedLimit({
    area: 'Queues',
    about: 'Maximum time that an archive download waits.',
    value: 10_000,
    unit: 'ms',
    error: 'SERVICE_UNAVAILABLE',
  }),
};

const AI_REQUESTS_PER_MEMBER = fixedLimit({
  area: 'Queues',
  error: 'RATE_LIMITED',
  value: 3,
  about: 'Concurrent requests of one member for texts in another style and prompts, in each process.',
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

/** At most `max` tasks of one key at the same time. */
function perKey(max: number, counted: string, message: Message): KeyedConcurrencyLimit {
  return new KeyedConcurrencyLimit(max, () => limitError(counted, 'RATE_LIMITED', { message }));
}

export type Limits = ReturnType<typeof openLimits>;

export function openLimits(config: Config, database: Database) {
  const { limiter, multiLimiter, close } = openRateLimiters(database);
  const { limits, http, aiRequestsPerDay } = config;
  const daily = { points: aiRequestsPerDay, durationMs: ms('1d') };
  return {
    /** Failed logins to one account from one network. */
    loginPair: limiter('login-pair', limits.loginPair),
    /** Failed logins from one network, to all accounts together. */
    loginNetwork: limiter('login-network', limits.loginNetwork),
    /** Failed logins to one account, from all networks together. */
    loginAccount: limiter('login-account', limits.loginAccount),
    /** Rejected refresh tokens from one network. */
    refresh: limiter('refresh', limits.refresh),
    /** Rejected social logins from one network. */
    social: limiter('social', limits.refresh),
    /** Wrong current passwords given by one member. */
    password: limiter('password', limits.loginPair),
    /** Attempts to create an account from one network. */
    register: limiter('register', limits.register),
    /** Requests for links, and rejected links, from one network. */
    recovery: limiter('recovery', limits.recovery),
    /** Changes of the email address that one member requests. */
    emailChanges: limiter('email-changes', EMAIL_CHANGES),
    /** API tokens that one member creates. */
    apiTokens: limiter('api-tokens', limits.apiTokens),
    /** Shared texts that are rendered for one network, and tokens of links from it that are not valid. */
    sharedTexts: limiter('shared-texts', limits.sharedTexts),
    /** Reports of one member. */
    reports: limiter('reports', REPORTS),
    /** Options for passkeys requested from one network. */
    passkeyOptions: limiter('passkey-options', limits.passkeyOptions),
    /** Emails to one address that were requested without a token, or while the address was not confirmed. */
    requestedMails: limiter('requested-mails', REQUESTED_MAILS),
    /** Emails of one kind to one member about the security of the account. */
    notices: limiter('notices', NOTICE_MAILS),
    /** Emails to one member about notifications, with the setting AT_ONCE. */
    notificationMails: limiter('notification-mails', NOTIFICATION_MAILS),
    /** Mutations of one member, and the bytes of text in them. */
    writes: multiLimiter([
      { name: 'writes', ...limits.writes },
      { name: 'write-bytes', ...limits.writeBytes },
    ]),
    /** Saves of drafts of one member, and the bytes of text in those that change something. */
    draftWrites: multiLimiter([
      { name: 'draft-writes', ...limits.draftWrites },
      { name: 'draft-bytes', ...limits.draftBytes },
    ]),
    /** Downloads of the archive of one member. */
    archives: limiter('archives', { points: 1, durationMs: ARCHIVE_INTERVAL_MS }),
    /** Running downloads of archives, by network, so that many accounts of one client do not take all permits. */
    runningArchives: observeQueue(new WeightedSemaphore(RUNNING_ARCHIVES)),
    /** Running searches. */
    searches: observeQueue(new WeightedSemaphore(SEARCHES)),
    /** Expensive GraphQL and REST operations. */
    operations: new OperationLimits(config.graphqlLimits),
    /** Calls to the AI provider that one member requested on one day. */
    ai: limiter('ai', daily),
    /** Summaries of new and edited articles of one member that the AI provider made on one day. */
    automaticSummaries: limiter('automatic-summaries', daily),
    /** Running AI requests of one member. */
    aiRequests: perKey(
      AI_REQUESTS_PER_MEMBER,
      'AI requests at once',
      createMessage('aiTooManyRunning', AI_REQUESTS_PER_MEMBER),
    ),
    /** Running AI requests of all members. */
    runningAiRequests: observeQueue(new WeightedSemaphore(RUNNING_AI_REQUESTS)),
    /** Concurrent uploads of one member. */
    uploads: perKey(MAX_UPLOADS, 'uploads at once', createMessage('tooManyUploads', MAX_UPLOADS)),
    /** Concurrent previews of articles of one member, and shared texts that are rendered for one client. */
    previews: perKey(MAX_PREVIEWS, 'previews at once', createMessage('tooManyPreviews', MAX_PREVIEWS)),
    /** Memory for buffered request bodies. */
    bufferedBytes: new BufferedBytes({
      processBytes: http.bodyMemoryBytes,
      networkBytes: http.bodyMemoryPerNetworkBytes,
    }),
    close,
  };
}
