/** Flattens comment threads: the journal has one level of replies, WordPress any number. */

export interface Threaded {
  id: string;
  /** The id of the parent comment. */
  parent: string;
  /** Whether the comment is imported. A skipped comment still links its replies to its own parent. */
  isTaken: boolean;
}

/** Index that means "none". */
export const NONE = -1;

/**
 * For each comment the index of its topmost imported ancestor, or NONE.
 * Parents may come later in the list or be missing; a cycle of parents is broken at the first comment visited in it.
 * Linear time in the length of the list, independent of the depth of the threads.
 */
export function findTops(comments: readonly Threaded[]): Int32Array {
  const byId = new Map<string, number>();
  for (const [index, { id }] of comments.entries()) if (!byId.has(id)) byId.set(id, index);
  const parents = Int32Array.from(comments, ({ parent }) => byId.get(parent) ?? NONE);
  const tops = new Int32Array(comments.length).fill(NONE);
  /** 0: not visited, 1: on the current path, 2: resolved. */
  const states = new Uint8Array(comments.length);
  for (const start of comments.keys()) resolveFrom(start, { comments, parents, tops, states });
  return tops;
}

interface Threads {
  comments: readonly Threaded[];
  parents: Int32Array;
  tops: Int32Array;
  states: Uint8Array;
}

function resolveFrom(start: number, { comments, parents, tops, states }: Threads): void {
  const path: number[] = [];
  let index = start;
  while (index !== NONE && states[index] === 0) {
    states[index] = 1;
    path.push(index);
    index = parents[index] ?? NONE;
  }
  // The path returned to itself: a cycle. The comment where the path entered the cycle becomes the start of a thread.
  if (index !== NONE && states[index] === 1) {
    parents[index] = NONE;
    states[index] = 2;
  }
  for (const visited of path.reverse()) {
    if (states[visited] === 1) tops[visited] = topThrough(parents[visited] ?? NONE, comments, tops);
    states[visited] = 2;
  }
}

function topThrough(parent: number, comments: readonly Threaded[], tops: Int32Array): number {
  const topOfParent = tops[parent] ?? NONE;
  if (topOfParent !== NONE) return topOfParent;
  return comments[parent]?.isTaken ? parent : NONE;
}
