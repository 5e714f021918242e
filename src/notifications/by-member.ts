/** What is open in this process, by the member it is open for. */

export class ByMember<Open extends { readonly memberId: number }> {
  readonly #sets = new Map<number, Set<Open>>();

  add(one: Open): void {
    const set = this.#sets.get(one.memberId) ?? new Set();
    this.#sets.set(one.memberId, set.add(one));
  }

  delete(one: Open): void {
    const set = this.#sets.get(one.memberId);
    set?.delete(one);
    if (set?.size === 0) this.#sets.delete(one.memberId);
  }

  of(memberId: number): ReadonlySet<Open> {
    return this.#sets.get(memberId) ?? new Set();
  }

  members(): number[] {
    return [...this.#sets.keys()];
  }

  /** A copy: what is done to each of them may close it. */
  all(): Open[] {
    return [...this.#sets.values()].flatMap((set) => [...set]);
  }
}
