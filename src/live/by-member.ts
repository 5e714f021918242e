/** What is open in this process, by the member it is open for. */

export class ByMember<Open extends { readonly memberId: number }> {
  readonly #sets = new Map<number, Set<Open>>();

  add(one: Open): void {
    const set = this.#sets.get(one.memberId) ?? new Set();
    this.#sets.set(one.memberId, set.add(one));
  }

  /** @returns whether it was there */
  delete(one: Open): boolean {
    const set = this.#sets.get(one.memberId);
    const wasThere = set?.delete(one) ?? false;
    if (set?.size === 0) this.#sets.delete(one.memberId);
    return wasThere;
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
