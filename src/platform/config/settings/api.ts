/** Settings of the APIs: REST and GraphQL options, limits of GraphQL operations, and notifications. */
import { allowedHosts } from '../addresses.js';
import { autoOrWholeNumber, duration, flag, group, noneOrDuration, oneOf, ratio, wholeNumber } from '../setting.js';

export const commentSettings = group('Comments', {
  COMMENT_APPROVAL: oneOf({
    choices: ['none', 'first', 'all'],
    default: 'none',
    description:
      'Which comments wait for the approval of the author of the article or of a moderator: none, those of members without an approved comment, or all ([moderation](moderation.md#approval-of-comments)).',
  }),
  COMMENT_MAX_LINKS: wholeNumber({
    range: [0, 1_000],
    default: '3',
    description: 'Links in a comment; one with more waits for approval.',
    limit: { area: 'Writing', error: null },
  }),
  SPAM_THRESHOLD: ratio({
    default: '0.9',
    description:
      'Spam score above which a comment waits for approval, once the service has learned from 50 decisions ([spam score](moderation.md#spam-score)). 1: no comment waits because of its score.',
  }),
});

export const interfaceSettings = group('API', {
  REST_PAGE_BASE: wholeNumber({
    range: [0, 1],
    default: '1',
    expected: '0 or 1',
    description: 'Number of the first page in REST requests.',
  }),
  GRAPHQL_INTROSPECTION: flag({
    default: 'true',
    description: 'Enables GraphQL introspection, which explorers require.',
  }),
  APOLLO_SANDBOX: oneOf({
    choices: ['auto', 'true', 'false'],
    default: 'auto',
    description:
      'Whether the page at `/graphql` offers Apollo Sandbox, whose scripts come from another host, and `https://studio.apollographql.com` may call the service. `auto`: unless `PUBLIC_URL` is https. Never without introspection.',
  }),
  RESPONSE_CACHE_MB: autoOrWholeNumber({
    range: [0, 65_536],
    default: 'auto',
    description:
      'Memory in MiB for cached responses to public reads, in each process. `auto` is a 32nd of the memory of the machine, or of the container (cgroup) where that is less, divided by `WORKERS`; at least 32 and at most 512. 0 disables the cache.',
    limit: { area: 'Response cache', error: null },
  }),
  RESPONSE_CACHE_STALE_IF_ERROR: noneOrDuration({
    default: '0',
    expected: '0 or a duration such as 10m',
    description:
      'Time for which a cached response is sent after its last validation while the database fails, and the value of `stale-if-error` (RFC 5861) in `Cache-Control`. Such responses can lack the latest changes: they can contain an article that has become private. 0: never.',
  }),
});

const LIMIT = { area: 'GraphQL', error: 'QUERY_TOO_COMPLEX' } as const;

export const graphqlSettings = group('GraphQL limits', {
  GRAPHQL_MAX_CHARACTERS: wholeNumber({
    range: [1_000, 1_000_000],
    default: '20000',
    description: 'Characters of a document, counted before it is parsed.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_TOKENS: wholeNumber({
    range: [100, 100_000],
    default: '2000',
    description: 'Tokens of a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_DEPTH: wholeNumber({
    range: [3, 100],
    default: '12',
    description: 'Levels of nested fields in a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_ALIASES: wholeNumber({
    range: [1, 1_000],
    default: '30',
    description: 'Aliases in a document.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_COST: wholeNumber({
    range: [1_000, 10_000_000],
    default: '150000',
    description:
      'Cost of an operation: the number of values in its largest possible response. Long values count more: `content` 800, `contentHtml` 1,400, a search by keyword 10,000. Each root field and each relation adds 100 for its statement.',
    limit: LIMIT,
  }),
  GRAPHQL_MAX_RESPONSE_MB: wholeNumber({
    range: [1, 512],
    default: '48',
    description: 'Size of a GraphQL or REST response in MiB.',
    limit: LIMIT,
  }),
});

export const writingSettings = group('Writing', {
  REVISIONS_KEPT: wholeNumber({
    range: [1, 1_000],
    default: '50',
    description:
      'Earlier states of an article that are kept, the newest ones. Of the older ones, the last of each day is kept for a year.',
    limit: { area: 'Writing', error: null },
  }),
});

export const notificationSettings = group('Notifications', {
  NOTIFICATION_RETENTION: duration({
    default: '180d',
    description: 'Retention of notifications, read or unread.',
  }),
});

export const changeSettings = group('Changes', {
  CHANGES_RETENTION: duration({
    default: '90d',
    description:
      'Time for which the feed of changes contains what was removed. A copy that was not updated for longer has to be made again ([changes](changes.md)).',
  }),
});

export const webhookSettings = group('Webhooks', {
  WEBHOOK_ALLOWED_HOSTS: allowedHosts({
    default: '',
    effectiveDefault: 'none',
    expected: 'names and addresses, separated by commas, such as hooks.internal,10.0.0.0/8',
    description:
      'Names and addresses (also networks) that webhooks may send messages to although they are not public, and by http too ([webhooks](webhooks.md)). All others are reached by https, at public addresses.',
  }),
  WEBHOOK_BATCH_SECONDS: wholeNumber({
    range: [1, 3_600],
    default: '10',
    description: 'Seconds of changes that one message of the event `changes` stands for, such as those of one build.',
  }),
});

export const streamSettings = group('Live notifications', {
  STREAM_LIMIT: wholeNumber({
    range: [1, 1_000],
    default: '20',
    description:
      'Open streams of one member in each process; the same number of WebSocket connections is allowed in addition.',
    limit: { area: 'Live connections', error: 'RATE_LIMITED' },
  }),
  STREAM_HEARTBEAT: duration({
    default: '15s',
    description: 'Heartbeat interval of a stream. Must be shorter than the idle timeout of proxies.',
  }),
  STREAM_WRITE_TIMEOUT: duration({
    default: '30s',
    description: 'Write timeout of a stream or WebSocket: a client that reads nothing for this time is disconnected.',
    limit: { area: 'Live connections', error: null },
  }),
});
