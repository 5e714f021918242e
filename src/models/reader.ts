/** As whom rows are read: the SQL type `reader` (migrations/0001/02-members.sql), which is one parameter of a statement. */

/** Each id is that of the member, or 0 where the member is read for like everyone else. `readerOf` (services/auth/policy.ts) says where that is. */
export class Reader {
  readonly #text: string;

  constructor(
    /** Sees hidden comments as their author and as that of the article. The blocks of this member apply. */
    readonly viewerId: number,
    /** Sees private articles as their author. */
    readonly articleReaderId: number,
    /** Sees notifications about drafts as their author. */
    readonly draftReaderId: number,
    /** Sees what moderators see, if the member has a role: statements read it again. */
    readonly moderatorId: number,
  ) {
    this.#text = `(${viewerId},${articleReaderId},${draftReaderId},${moderatorId})`;
  }

  /** The value of the parameter, for pg. */
  toPostgres(): string {
    return this.#text;
  }

  /** For keys of maps. */
  toString(): string {
    return this.#text;
  }
}

/** Without a token. */
export const ANONYMOUS = new Reader(0, 0, 0, 0);
