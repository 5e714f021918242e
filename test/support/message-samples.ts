/** Sample parameters of messages whose parameters are not only numbers and inserted values, one line for each variant of the text. */
import type { English } from '../../src/platform/messages/message.js';

type Samples = {
  readonly [Key in keyof English as English[Key] extends string ? never : Key]?: English[Key] extends (
    ...parameters: infer Parameters
  ) => string
    ? readonly Parameters[]
    : never;
};

/** Texts in angle quotes are inserted values, which appear unchanged in every language. */
export const SAMPLES: Samples = {
  scopeMissing: [
    ['«me»', ['«read»'], ['«ai»']],
    ['«me»', ['«read»', '«ai»'], ['«images»', '«comments»']],
  ],
  mailDigestSubject: [[1], [31]],
  mailDigestMore: [[1], [31]],
  frontCounts: [
    [1, 1],
    [31, 32],
  ],
  frontComments: [[1], [31]],
  oneTarget: [[['«articleId»', '«memberId»']]],
  actionNotForTarget: [[['«DISMISS»', '«REMOVE»'], '«SUSPEND»']],
  requiredFor: [[['«REMOVE»', '«SUSPEND»']]],
  methodNotAllowed: [
    [['«GET»'], '«PUT»'],
    [['«GET»', '«PUT»'], '«POST»'],
  ],
  graphqlParameterNotObject: [['«variables»', '«[]»']],
  contentTypeUnsupported: [
    [['«a/b»'], '«c/d»'],
    [['«a/b»', '«a/c»'], '«c/d»'],
  ],
  encodingUnsupported: [[['«gzip»', '«br»'], '«x»']],
  queryTooCostly: [
    [31, 42],
    [31, Number.POSITIVE_INFINITY],
  ],
  tooMany: [
    ['failed logins', 31],
    ['rejected social logins', 31],
    ['rejected refresh tokens', 31],
    ['wrong passwords', 31],
    ['registrations', 31],
    ['new API tokens', 31],
    ['shared texts', 31],
    ['options for passkeys', 31],
    ['archive downloads', 31],
    ['reports', 31],
    ['changes', 1],
    ['changes', 31],
    ['changes', 31 * 60],
    ['bytes of text', 31],
    ['texts that take long to render', 12],
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
  unknownParameter: [[['«a»', '«b»']], [[]]],
  contentTypeMissing: [[['«a»', '«b»']]],
  mustBeOneOf: [[['«a»', '«b»'], '«x»']],
  mustBeListOf: [[['«a»', '«b»'], '«x»']],
  fieldMisplaced: [['«Article.related»', ['«article»', '«articleBySlug»']]],
  requiredOr: [[['«a»', '«b»']]],
  unknownField: [[['«a»', '«b»']], [[]]],
  notTogetherWith: [['«draftId»', ['«draftId»', '«title»']]],
  providerUnsupported: [[['«GOOGLE»', '«KAKAO»']]],
  roleRequired: [[['«ADMIN»', '«MODERATOR»']]],
  credentialOriginWrong: [[['«one»', '«other»'], '«got»']],
  imageTooManyPixels: [
    [31, 42, 1, '«53.1»', 75],
    [31, 42, 53, '«64.2»', 75],
  ],
  avifBoxes: [
    ['«iloc»', 31],
    ['«iloc»', 0],
  ],
};
