/** Flattens threads: the journal has one level of replies, a blog has any number. */

export interface Threaded {
  id: string;
  /** The id of what it answers. */
  parent: string;
  /** Whether it is brought in. What is not still leads from its replies to what it answered. */
  isTaken: boolean;
}

/** Stands for "none". */
export const NONE = -1;

/**
 * For each comment the index of the comment it goes under: the topmost one above it that is taken, or NONE.
 * Parents may come later in the list or be missing; a circle of parents is cut where it is first entered.
 * Takes time in proportion to the list, however deep the threads are.
 */
export function findTops(comments: readonly Threaded[]): Int32Array {
  const byId = new Map<string, number>();
  for (const [index, { id }] of comments.entries()) if (!byId.has(id)) byId.set(id, index);
  const parents = Int32Array.from(comments, ({ parent }) => byId.get(parent) ?? NONE);
  const tops = new Int32Array(comments.length).fill(NONE);
  /** 0: not seen, 1: on the way up from where the walk began, 2: its top is known. */
  const states = new Uint8Array(comments.length);
  for (const start of comments.keys()) settle(start, { comments, parents, tops, states });
  return tops;
}

interface Threads {
  comments: readonly Threaded[];
  parents: Int32Array;
  tops: Int32Array;
  states: Uint8Array;
}

function settle(start: number, { comments, parents, tops, states }: Threads): void {
  const way: number[] = [];
  let index = start;
  while (index !== NONE && states[index] === 0) {
    states[index] = 1;
    way.push(index);
    index = parents[index] ?? NONE;
  }
  // Back where this walk has been: a circle. The comment it was entered by becomes the start of a thread.
  if (index !== NONE && states[index] === 1) {
    parents[index] = NONE;
    states[index] = 2;
  }
  for (const below of way.reverse()) {
    if (states[below] === 1) tops[below] = topThrough(parents[below] ?? NONE, comments, tops);
    states[below] = 2;
  }
}

function topThrough(parent: number, comments: readonly Threaded[], tops: Int32Array): number {
  const above = tops[parent] ?? NONE;
  if (above !== NONE) return above;
  return comments[parent]?.isTaken ? parent : NONE;
}
