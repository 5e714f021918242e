/** The type of a translated catalog: the same keys as the English one, and functions with the same parameters. */

export type Translation<English> = {
  readonly [Key in keyof English]: English[Key] extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : string;
};
