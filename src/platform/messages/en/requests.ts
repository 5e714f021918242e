/** Error messages about a request as a whole, in English. */

export const requests = {
  routeNotFound: (path: string) => `No resource exists at ${path}.`,
  routeNotFoundNear: (path: string, nearest: string) =>
    `No resource exists at ${path}. The nearest path is ${nearest}.`,
  routeWithoutPrefix: (path: string) => `No resource exists at ${path}: paths of the REST API begin with /api.`,
  methodNotAllowed: (methods: readonly string[], got: string) => `Expected method ${methods.join(' or ')}, got ${got}.`,
  invalidPercentEncoding: 'The URL contains a % that does not begin a UTF-8 escape.',
  urlNotUtf8: 'The URL contains bytes that are neither ASCII nor UTF-8: percent-encode its characters as UTF-8.',
  urlNotEncoded: 'The URL contains characters other than ASCII: percent-encode them as UTF-8.',
  hostHeaderMissing: 'The Host header is missing.',
  hostHeaderRepeated: 'The Host header was sent more than once.',
  hostHeaderInvalid: (got: string) =>
    `The Host header must be a host, optionally with a port, such as example.org:4000, got ${got}.`,
  tooManyHeaders: (max: number) => `A request can have at most ${max} headers.`,
  tooManyConnections: (max: number) => `A network can have at most ${max} open connections: close some first.`,
  tooManyPipelined: (max: number) =>
    `A connection can have at most ${max} requests in progress: wait for responses before you send more.`,

  headerRepeated: (got: number) => `Expected this header once, got ${got}.`,
  idempotencyKeyInvalid: (max: number, got: string, length: number) =>
    `Expected 1 to ${max} visible ASCII characters, got ${got} (${length} characters).`,
  headerNeedsOneMutation: (header: string, got: number) =>
    `${header} requires a document with exactly one mutation field, got ${got}.`,
  keyedOperationTooCostly: (max: number, cost: number) =>
    `An operation with an Idempotency-Key can cost at most ${max}, but costs ${cost}: select fewer fields.`,
  ifMatchInvalid: (got: string) => `Expected * or a list of entity tags such as W/"3.0", got ${got}.`,
  revisionOutdated: (current: number | string, condition: string, got: string) =>
    `The current revision is ${current}, ${condition} is ${got}: read the resource again and repeat your change.`,

  bodyEmpty: 'The body is empty: expected a JSON object.',
  bodyNotUtf8: 'The body is not UTF-8.',
  bodyNotJson: 'The body is not JSON: expected an object.',
  bodyNotJsonAt: (line: number, column: number) =>
    `The body is not JSON: error in line ${line}, column ${column}. Expected an object.`,
  bodyNotObject: (got: string) => `The body must be a JSON object, got ${got}.`,
  bodyIsArray: 'The body must be a JSON object, got an array.',
  bodyTooLarge: (max: number) => `The body can have at most ${size(max)}.`,
  bodyTruncated: 'The body is truncated.',
  bodyUnreadable: 'The body could not be read.',
  bodyTimeout: (seconds: number) => `The body did not arrive within ${seconds} seconds.`,
  chunksTooSmall: 'The chunks of the body are too small: send larger ones, or a Content-Length.',
  bodyMemoryFull: 'The service is processing too many request bodies: try again in a moment.',
  bodyMemoryPerNetworkFull:
    'Your network is sending too many request bodies at once: wait for responses before you send more.',
  tooManyUploads: (max: number) => `A member can send at most ${max} uploads at once: wait until one has finished.`,
  charsetUnsupported: (got: string) => `JSON must be in UTF-8, got ${got}.`,
  encodingUnsupported: (accepted: readonly string[], got: string) =>
    `Expected Content-Encoding ${accepted.join(', ')} or none, got ${got}.`,
  encodingForbidden: (got: string) =>
    `Content-Encoding ${got} is accepted for JSON from logged-in members only: send this body without it.`,
  contentTypeMissing: (types: readonly string[]) =>
    `The header Content-Type is missing: expected ${types.join(' or ')}.`,
  contentTypeUnsupported: (types: readonly string[], got: string) =>
    `Expected Content-Type ${types.join(' or ')}, got ${got}.`,

  partsMissing: 'The body has no parts: expected request (JSON) or file, or both.',
  partTooLarge: (max: number, name: string) => `The part ${name} can have at most ${size(max)}.`,
  multipartInvalid: (reason: string) => `The multipart body is malformed: ${reason}. Expected the format of RFC 7578.`,
  boundaryMissing: 'its Content-Type contains no boundary',
  partHeadersTooLarge: (max: number) => `a part has more than ${max} bytes of headers`,
  partNameMissing: 'a part has no Content-Disposition header with a name: expected form-data; name="…"',
  tooManyParts: (max: number) => `it has more than ${max} parts`,
  multipartTruncated: 'it is truncated, or does not contain its boundary',

  subscriptionRequiresWebSocket:
    'Subscriptions require a WebSocket connection to this URL with the protocol graphql-transport-ws.',
  onlySubscriptionsAllowed:
    'This connection supports only subscriptions: send queries and mutations to the same URL by POST.',
  graphqlError: (text: string) => text,
  graphqlParameterNotText: (name: string, got: string) => `The parameter ${name} must be a string, got ${got}.`,
  graphqlParameterNotObject: (name: string, got: string) => `The parameter ${name} must be a JSON object, got ${got}.`,
  graphqlParameterRepeated: (name: string, count: number) =>
    `The parameter ${name} is given ${count} times: expected once.`,
  persistedQueryInvalid: (got: string) =>
    `The extension persistedQuery must have version 1 and a sha256Hash (a string), got ${got}.`,
  persistedHashWrong: 'The hash of the persisted query is not that of the document.',
  graphqlContentTypeUnsupported: 'Expected Content-Type application/json, or multipart/form-data for files.',
  partMissing: (name: string) => `The part ${name} is missing: expected JSON.`,
  partNotObject: (name: string) => `The part ${name} must be a JSON object.`,
  graphqlSecretInUrl: 'This query has a token as its argument, which must not be in a URL: send it by POST.',
  fileMapInvalid: (name: string) => `The part map does not contain a valid path for the file ${name}.`,
  queryTooLong: (max: number, got: number) => `The document can have at most ${max} characters, got ${got}.`,
  queryRepeatsName: (name: string, max: number) => `The document contains the name ${name} more than ${max} times.`,
  queryTooDeep: (levels: number) => `The query is nested more than ${levels} levels deep.`,
  queryTooManyAliases: (max: number) => `The query has more than ${max} aliases.`,
  queryTooManyTokens: (max: number) => `The query has more than ${max} tokens.`,
  fieldMisplaced: (field: string, roots: readonly string[]) =>
    `${field} can be selected only directly in ${roots.join(' and ')}: it needs a statement for each object.`,
  queryTooCostly: (max: number, cost: number) =>
    `The operation can cost at most ${max}, but costs ${Number.isFinite(cost) ? cost : 'far more'}: a field in a list counts once for each possible element.`,
  tooManyVariableValues: (max: number) => `The variables have more than ${max} values.`,
  responseTooLarge: (megabytes: number) => `The response would be larger than ${megabytes} MiB: request less at once.`,

  tooMany: (what: RateLimitSubject, seconds: number) => `Too many ${what}: try again in ${time(seconds)}.`,
  metricsOff: 'The metrics are disabled, because PUBLIC_URL is not local: set METRICS_TOKEN to enable them.',
  metricsTokenRequired: 'The metrics require METRICS_TOKEN: send "Authorization: Bearer <METRICS_TOKEN>".',
  diskFull:
    'Nothing was saved: no disk space is left. Try again later; the operator of the service has to free disk space.',
  tooBusy: (what: QueueName) => `Too many ${what} are being processed: try again in a moment.`,
};

/** What rate limits count. */
export type RateLimitSubject =
  | 'failed logins'
  | 'rejected social logins'
  | 'rejected refresh tokens'
  | 'wrong passwords'
  | 'registrations'
  | 'requests for links'
  | 'changes of the email address'
  | 'emails to one address'
  | 'options for passkeys'
  | 'archive downloads'
  | 'new API tokens'
  | 'shared texts'
  | 'reports'
  | 'changes'
  | 'bytes of text'
  | 'texts that take long to render';

/** The kinds of queued work in this process; also the `work` label of metrics. */
export type QueueName =
  | 'images'
  | 'logins'
  | 'articles to render'
  | 'summaries'
  | 'searches'
  | 'archives'
  | 'AI requests'
  | 'expensive operations'
  | 'large responses'
  | 'statements'
  | 'changes'
  | 'long articles';

function size(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

function time(seconds: number): string {
  if (seconds >= 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
