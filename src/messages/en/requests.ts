/** Error messages about a request as a whole, in English. */

export const requests = {
  nothingAt: (path: string) => `There is nothing at ${path}.`,
  methodExpected: (methods: readonly string[], got: string) => `Expected ${methods.join(' or ')} here, got ${got}.`,
  escapeBroken: 'The address has a % that does not begin a UTF-8 escape.',
  hostMissing: 'The header Host is missing.',
  tooManyHeaders: (most: number) => `A request may have ${most} headers.`,
  tooManyConnections: (most: number) => `One network may have ${most} open connections: close some first.`,
  tooManyPipelined: (most: number) =>
    `One connection may have ${most} requests in progress: wait for responses before you send more.`,
  starting: 'The service is starting: try again in a moment.',

  bodyEmpty: 'The body is empty: expected a JSON object.',
  bodyNotUtf8: 'The body is not UTF-8.',
  bodyNotJson: 'The body is not JSON: expected an object.',
  bodyNotObject: (got: string) => `The body must be a JSON object, got ${got}.`,
  bodyIsArray: 'The body must be a JSON object, got an array.',
  bodyTooLarge: (most: number) => `The body may have ${most} bytes.`,
  bodyEndsEarly: 'The body ended early.',
  bodyUnreadable: 'The body could not be read.',
  bodyTooSlow: (seconds: number) => `The body did not arrive within ${seconds} seconds.`,
  chunksTooSmall: 'The chunks of the body are too small: send larger ones, or a Content-Length.',
  bodyMemoryFull: 'The service is reading too many request bodies: try again in a moment.',
  bodyMemoryOfNetworkFull: 'Your network is sending too many request bodies at once: wait until some are answered.',
  tooManyUploads: (most: number) => `A member may send ${most} uploads at once: wait until one has arrived.`,
  charsetUnknown: (got: string) => `JSON is taken in UTF-8, not in ${got}.`,
  encodingUnknown: (accepted: readonly string[], got: string) =>
    `Expected Content-Encoding ${accepted.join(', ')} or none, got ${got}.`,
  encodingRefused: (got: string) =>
    `Content-Encoding ${got} is accepted for JSON from logged-in members only: send this body without it.`,
  typeExpected: (types: readonly string[], got: string) => `Expected Content-Type ${types.join(' or ')}, got ${got}.`,

  partsMissing: 'The body has no parts: expected request (JSON) or file, or both.',
  partTooLarge: (most: number, name: string) => `The part ${name} may have ${most} bytes.`,
  multipartBroken: (reason: string) => `The multipart body is broken: ${reason}. Expected what RFC 7578 describes.`,
  boundaryMissing: 'its Content-Type names no boundary',
  partHeadersTooLarge: (most: number) => `a part has more than ${most} bytes of headers`,
  partNameMissing: 'a part has no header Content-Disposition: form-data; name="…"',
  tooManyParts: (most: number) => `it has more than ${most} parts`,
  partsEndEarly: 'it ends early, or its boundary is not in it',

  subscriptionNeedsSocket:
    'Subscriptions run over a WebSocket with the protocol graphql-transport-ws, at this same address.',
  onlySubscriptions: 'Only subscriptions run here: send queries and mutations to this same address by POST.',
  graphqlSays: (text: string) => text,
  graphqlTypeExpected: 'Expected Content-Type application/json, or multipart/form-data for files.',
  partMissing: (name: string) => `The part ${name} is missing: expected JSON.`,
  partNotObject: (name: string) => `The part ${name} must be a JSON object.`,
  fileMisplaced: (name: string) => `The part map does not say rightly where the file ${name} goes.`,
  queryTooLong: (most: number, got: number) => `The document may have ${most} characters, got ${got}.`,
  queryRepeats: (name: string, most: number) => `The document has the name ${name} more than ${most} times.`,
  queryTooDeep: (levels: number) => `The query is deeper than ${levels} levels.`,
  queryTooManyAliases: (most: number) => `The query is of more than ${most} aliases.`,
  queryTooManyTokens: (most: number) => `The query has more than ${most} tokens.`,
  queryTooCostly: (most: number, cost: number) =>
    `The operation may cost ${most}, and costs ${Number.isFinite(cost) ? cost : 'far more'}: each field counts as often as its list can be long.`,
  tooManyVariableValues: (most: number) => `The variables have more than ${most} values.`,
  responseTooLarge: (megabytes: number) => `The response would be larger than ${megabytes} MiB: request less at once.`,

  tooMany: (what: Counted, seconds: number) => `Too many ${what}: try again in ${time(seconds)}.`,
  tooBusy: (what: Work) => `Too many ${what} are being processed: try again in a moment.`,
};

/** What rate limits count. */
export type Counted =
  | 'failed logins'
  | 'refused social logins'
  | 'refused refresh tokens'
  | 'wrong passwords'
  | 'registrations'
  | 'changes'
  | 'bytes of text';

/** The kinds of queued work in this process; also the `work` label of metrics. */
export type Work =
  | 'images'
  | 'logins'
  | 'articles to render'
  | 'summaries'
  | 'searches'
  | 'AI requests'
  | 'expensive operations'
  | 'large responses';

function time(seconds: number): string {
  if (seconds >= 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
