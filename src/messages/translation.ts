/** What a translation of a part of the English catalogue looks like: the same keys, functions of the same parameters. */

export type Translation<English> = {
  readonly [Key in keyof English]: English[Key] extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : string;
};
