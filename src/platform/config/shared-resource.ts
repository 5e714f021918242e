/** Declarations of the resources of a process that clients share. Each is next to the code that shares it; docs/limits.md lists all of them. */

export interface SharedResource {
  readonly name: string;
  /** The label of its queue in metrics and messages, if it is a queue for permits. */
  readonly queue?: string;
  /** How much of it there is, and how much may wait for it. */
  readonly bound: string;
  /** Who is served next, and who is rejected. */
  readonly fairness: string;
  /** The most that one member or network can occupy. */
  readonly largestShare: string;
  /** The test of a hostile client beside an honest one: its file, and a part of its title. */
  readonly test: readonly [file: string, title: string];
}

const declared = new Map<string, SharedResource>();

/** @throws Error if the same resource is declared twice */
export function sharedResource(resource: SharedResource): void {
  if (declared.has(resource.name)) throw new Error(`"${resource.name}" is declared twice`);
  declared.set(resource.name, resource);
}

/** All shared resources of the modules that have been loaded. */
export function sharedResources(): readonly SharedResource[] {
  return [...declared.values()];
}
