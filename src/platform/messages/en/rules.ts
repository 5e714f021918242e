/** Validation messages of one field, in English: phrases that follow the name of the field. */

export const rules = {
  required: 'is required',
  requiredOr: (allowed: readonly string[]) => `is required, or ${allowed.join(' or ')}`,
  mustBeString: (got: string) => `must be a string, got ${got}`,
  mustBeBoolean: (got: string) => `must be true or false, got ${got}`,
  mustBeWholeNumber: (got: string) => `must be a whole number, got ${got}`,
  mustBeNumber: (got: string) => `must be a number, got ${got}`,
  mustBeId: (got: string) => `must be a positive whole number, got ${got}`,
  mustBeIdOrZero: (got: string) => `must be 0 or a positive whole number, got ${got}`,
  mustBeOther: 'must be another member, not yourself',
  mustBeOfOther: 'must not be yourself, or written by yourself',
  oneTarget: (fields: readonly string[]) => `is one of ${fields.join(', ')}, of which exactly one must be given`,
  actionNotForTarget: (actions: readonly string[], got: string) =>
    `must be ${actions.join(' or ')} for this target, got ${got}`,
  requiredFor: (actions: readonly string[]) => `is required for ${actions.join(' and ')}`,
  onlyFor: (action: string) => `can be given for ${action} only`,
  mustBeLater: (got: string) => `must be a time in the future, got ${got}`,
  pageTooFar: (max: number) =>
    `must be within the first ${max} articles of this list; followedArticleConnection of GraphQL has the others`,
  mustBeTime: (got: string) =>
    `must be a time in UTC such as 2026-11-20T09:30:00, a date, or a time with an offset, got ${got}`,
  mustBeDate: (got: string) => `must be a date such as 2026-11-20, got ${got}`,
  wrongPeriod: (days: number, from: string, to: string) =>
    `must begin a period of 1 to ${days} days, got ${from} to ${to}`,
  mustBeFuture: (days: number, got: string) => `must be in the future, at most ${days} days ahead, got ${got}`,
  mustBeMinuteAhead: (days: number, got: string) =>
    `must be at least one minute and at most ${days} days ahead, got ${got}`,
  mustBePast: (got: string) =>
    `must be from 1970-01-01T00:00:00Z until now, got ${got}; to publish a text later, schedule a draft`,
  mustBeUuid: (got: string) => `must be a UUID, got ${got}`,
  mustBeFrom: (min: number, got: string) => `must be a whole number from ${min}, got ${got}`,
  mustBeBetween: (min: number, max: number, got: string) => `must be a whole number from ${min} to ${max}, got ${got}`,
  mustBeListOf: (words: readonly string[], got: string) =>
    `must be one or more of ${words.join(', ')}, each once, separated by commas, got ${got}`,
  mustBeOneOf: (words: readonly string[], got: string) => `must be one of ${words.join(' or ')}, got ${got}`,
  mustBeArray: (got: string) => `must be an array, got ${got}`,
  each: (violation: string) => `each ${violation}`,
  tooManyElements: (max: number, got: number) => `must have at most ${max} elements, got ${got}`,
  elementRepeated: (element: string) => `must have each element once, got ${element} repeatedly`,
  mustHaveElement: 'must have at least one element',
  tooManyWords: (max: number, got: number) => `must have at most ${max} words, got ${got}`,
  lengthWrong: (min: number, max: number, got: number) => `must be ${min} to ${max} characters long, got ${got}`,
  blank: 'must not be blank',
  notOneLine: 'must be one line without control characters',
  containsNul: 'must not contain the character U+0000',
  notWellFormed: 'must be well-formed Unicode, got a lone surrogate',
  notSlug: (got: string) => `must be letters, marks and digits, in words with a single hyphen between them, got ${got}`,
  notLanguage: (got: string) => `must be a BCP 47 language tag such as ko or pt-BR, got ${got}`,
  mustBeOtherArticle: 'must be another article, not this one',
  requiredWith: (field: string) => `is required with ${field}`,
  requiredOfTranslations: 'is required of an article with translations: set translationOf to 0 to leave them',
  articleWithoutLanguage: (id: string) => `must be an article with a language: article ${id} has none`,
  tooManyTranslations: (max: number) => `must be an article with fewer than ${max} translations, itself included`,
  notWebAddress: (got: string) =>
    `must be an absolute http or https address without a user name and a password, got ${got}`,
  notEmail: 'must be an email address such as name@example.org',
  nameInvisible: (codePoint: string) => `must not contain invisible or unassigned characters, got ${codePoint}`,
  nameMixesScripts: 'must use one script in modern use, or one with Latin letters (not Cyrillic or Greek with Latin)',
  nameStacksMarks: 'must not contain stacked combining marks',
  nameReserved: 'must not be a reserved name',
  passwordCommon: 'must not be one of the most common passwords',

  unknownField: (known: readonly string[]) => `is not a known field; expected ${known.join(', ') || 'none'}`,
  notTogetherWith: (other: string, allowed: readonly string[]) =>
    `is not possible together with ${other}; with it, expected only ${allowed.join(', ')}`,
  unknownParameter: (known: readonly string[]) =>
    `is not a known query parameter; expected ${known.join(', ') || 'none'}`,
  unknownPart: 'is not a known part; expected request and file',
  parameterRepeated: (times: number) => `must be given once, got ${times} times`,
  partRepeated: (parts: number) => `must be sent once, got ${parts} parts`,

  invalidChangeCursor: 'must be latest, or the cursor of a page of changes',
  webhookUrlInvalid:
    'must be an https URL of a public address, without a user name and a password; WEBHOOK_ALLOWED_HOSTS permits others',
  eventStandsAlone: (event: string) => `cannot have other events beside ${event}`,
  invalidCursor: 'must be a cursor returned by this list in the same order',
  periodWithoutCount: 'needs a sort order by likes or views: likeCount,desc or viewCount,desc',
  cannotCombineWithIfMatch: 'cannot be combined with the header If-Match',
  cannotCombineWithFirst: 'cannot be combined with first',
  cannotCombineWithImage: 'cannot be combined with a new image',
};
