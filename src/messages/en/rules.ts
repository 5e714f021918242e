/** Validation messages of one field, in English: phrases that follow the name of the field. */

export const rules = {
  required: 'is required',
  mustBeText: (got: string) => `must be text, got ${got}`,
  mustBeTrueOrFalse: (got: string) => `must be true or false, got ${got}`,
  mustBeWholeNumber: (got: string) => `must be a whole number, got ${got}`,
  mustBeNumber: (got: string) => `must be a number, got ${got}`,
  mustBeId: (got: string) => `must be a positive whole number, got ${got}`,
  mustBeFrom: (least: number, got: string) => `must be a whole number from ${least}, got ${got}`,
  mustBeBetween: (least: number, most: number, got: string) =>
    `must be a whole number from ${least} to ${most}, got ${got}`,
  mustBeOneOf: (words: readonly string[], got: string) => `must be one of ${words.join(' or ')}, got ${got}`,
  mustBeArray: (got: string) => `must be an array, got ${got}`,
  each: (fault: string) => `each ${fault}`,
  tooManyElements: (most: number, got: number) => `must have at most ${most} elements, got ${got}`,
  tooManyWords: (most: number, got: number) => `must have at most ${most} words, got ${got}`,
  lengthWrong: (least: number, most: number, got: number) => `must be ${least} to ${most} characters long, got ${got}`,
  blank: 'must not be blank',
  notOneLine: 'must be one line without control characters',
  hasNul: 'must not contain the character U+0000',
  notWellFormed: 'must be well-formed Unicode, got half of a pair',
  notEmail: 'must be an email address such as name@example.org',
  nameInvisible: (codePoint: string) => `must not contain invisible or unassigned characters, got ${codePoint}`,
  nameMixesScripts: 'must be in one script in modern use, or in one and Latin letters (not with Cyrillic or Greek)',
  nameStacksMarks: 'must not stack combining marks',
  nameReserved: 'must not be a reserved name',
  passwordCommon: 'must not be one of the most common passwords, which are guessed first',

  unknownField: (known: readonly string[]) => `is not a field here; expected ${known.join(', ') || 'none'}`,
  unknownPart: 'is not a part here; expected request and file',
  parameterRepeated: (times: number) => `must be given once, got ${times} times`,
  partRepeated: (parts: number) => `must come once, got ${parts} parts`,

  notACursor: 'must be a cursor that this list gave, in this order',
  notWithFirst: 'cannot come together with first',
  notWithImage: 'cannot come together with a new image',
};
