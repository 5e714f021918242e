/** Sample parameters of every message with parameters, one line for each variant of its text. */
import type { English } from '../../src/messages/message.js';

type Samples = {
  readonly [Key in keyof English as English[Key] extends string ? never : Key]: English[Key] extends (
    ...parameters: infer Parameters
  ) => string
    ? readonly Parameters[]
    : never;
};

/** Texts in angle quotes are inserted values, which appear unchanged in every language. */
export const SAMPLES: Samples = {
  routeNotFound: [['«/x»']],
  methodNotAllowed: [
    [['«GET»'], '«PUT»'],
    [['«GET»', '«PUT»'], '«POST»'],
  ],
  headerRepeated: [[31]],
  idempotencyKeyInvalid: [[255, '«a b»', 31]],
  headerNeedsOneMutation: [['«Idempotency-Key»', 31]],
  keyedOperationTooCostly: [[1000, 2000]],
  ifMatchInvalid: [['«x»']],
  revisionOutdated: [[31, '«"32"»']],
  bodyNotObject: [['«7»']],
  bodyTooLarge: [[31]],
  charsetUnsupported: [['«latin1»']],
  contentTypeUnsupported: [
    [['«a/b»'], '«c/d»'],
    [['«a/b»', '«a/c»'], '«c/d»'],
  ],
  tooManyHeaders: [[31]],
  tooManyConnections: [[31]],
  tooManyPipelined: [[31]],
  bodyTimeout: [[31]],
  tooManyUploads: [[31]],
  encodingUnsupported: [[['«gzip»', '«br»'], '«x»']],
  encodingForbidden: [['«gzip»']],
  partTooLarge: [[31, '«file»']],
  partHeadersTooLarge: [[31]],
  multipartInvalid: [['«reason»']],
  tooManyParts: [[31]],
  graphqlError: [['«Syntax Error»']],
  partMissing: [['«map»']],
  partNotObject: [['«map»']],
  fileMapInvalid: [['«0»']],
  queryTooLong: [[31, 42]],
  queryRepeatsName: [['«me»', 31]],
  queryTooDeep: [[31]],
  queryTooManyAliases: [[31]],
  queryTooManyTokens: [[31]],
  queryTooCostly: [
    [31, 42],
    [31, Number.POSITIVE_INFINITY],
  ],
  tooManyVariableValues: [[31]],
  responseTooLarge: [[31]],
  tooMany: [
    ['failed logins', 31],
    ['refused social logins', 31],
    ['refused refresh tokens', 31],
    ['wrong passwords', 31],
    ['registrations', 31],
    ['archive downloads', 31],
    ['changes', 1],
    ['changes', 31],
    ['changes', 31 * 60],
    ['bytes of text', 31],
  ],
  tooBusy: [
    ['images'],
    ['logins'],
    ['articles to render'],
    ['summaries'],
    ['searches'],
    ['archives'],
    ['AI requests'],
    ['expensive operations'],
    ['large responses'],
  ],

  mustBeString: [['«7»']],
  mustBeBoolean: [['«7»']],
  mustBeWholeNumber: [['«x»']],
  mustBeNumber: [['«x»']],
  mustBeId: [['«x»']],
  mustBeUuid: [['«x»']],
  mustBeFrom: [[31, '«x»']],
  mustBeBetween: [[31, 42, '«x»']],
  mustBeOneOf: [[['«a»', '«b»'], '«x»']],
  mustBeArray: [['«x»']],
  each: [['«fault»']],
  tooManyElements: [[31, 42]],
  tooManyWords: [[31, 42]],
  lengthWrong: [[31, 42, 53]],
  nameInvisible: [['«U+200D»']],
  unknownField: [[['«a»', '«b»']], [[]]],
  parameterRepeated: [[31]],
  partRepeated: [[31]],

  providerUnsupported: [[['«GOOGLE»', '«KAKAO»']]],
  loginNotConfirmed: [['«GOOGLE»']],
  accountExists: [['«GOOGLE»']],
  linkedToAnother: [['«GOOGLE»']],

  versionOutdated: [[31, 42]],
  noCategoryNamed: [['«name»']],

  commented: [['«Ann»', '«Title»']],
  replied: [['«Ann»', '«Title»']],
  summaryReady: [['«Title»']],
  summaryFailed: [['«Title»']],
  tooManyStreams: [[20, 20]],

  styleBuiltIn: [['«FRIENDLY»']],
  aiBudgetSpent: [[31]],
  aiTooManyRunning: [[31]],

  imageCountReached: [[31]],
  imageBytesReached: [[31, 42]],
  imageInUse: [[31]],
  imageTooLarge: [['«31.4»']],
  imageTooManyFrames: [[31, 42]],
  imageTooManyPixels: [
    [31, 42, 1, '«53.1»'],
    [31, 42, 53, '«64.2»'],
  ],
  imageTimeout: [['«PNG»', 31]],
  imageDamaged: [['«PNG»']],
  fileTypeUnsupported: [['«kind»']],
  kindUnknown: [['«ff d8»']],
  avifInvalid: [['«reason»']],
  avifBoxes: [
    ['«iloc»', 31],
    ['«iloc»', 0],
  ],
  avifTooManyBoxes: [[31]],
  avifVersion: [[31]],
};
