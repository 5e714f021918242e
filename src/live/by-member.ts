/** Sets of open connections or feeds, indexed by member id. */

export class ByMember<Open extends { readonly memberId: number }> {
  readonly #sets = new Map<number, Set<Open>>();

  add(one: Open): void {
    const set = this.#sets.get(one.memberId) ?? new Set();
    this.#sets.set(one.memberId, set.add(one));
  }

  /** @returns whether it was in the set */
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

  /** A copy, since callers may close (and so delete) entries while they iterate. */
  all(): Open[] {
    return [...this.#sets.values()].flatMap((set) => [...set]);
  }
}
