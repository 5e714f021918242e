/** Bounds the time that a caller waits for work which cannot be canceled. */

/** @returns the result of `work`; undefined after `timeoutMs`; a later error is then ignored */
export async function withTimeout<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
