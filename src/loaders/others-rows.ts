/** The rows of other members that a request has loaded, for a response that is stored: they may remove them later. Also the member's own articles. */
import { ARTICLES_BY_ID } from '../models/article/article.js';
import { COMMENTS_BY_ID, REPLIES_BY_COMMENT } from '../models/comment/comment.js';
import type { ShownRows } from '../models/idempotency-key.js';
import { MEMBERS_BY_ID } from '../models/member/member.js';
import { SERIES_BY_ID } from '../models/series.js';
import type { PreparedText } from '../platform/database/statement.js';

type Kind = keyof ShownRows;

/** The other statements of loaders read parts of such rows. */
const KINDS = new Map<PreparedText, Kind>([
  [COMMENTS_BY_ID, 'comments'],
  [REPLIES_BY_COMMENT, 'comments'],
  [ARTICLES_BY_ID, 'articles'],
  [MEMBERS_BY_ID, 'members'],
  [SERIES_BY_ID, 'series'],
]);

/** `memberId`: its author; absent from a member. */
interface Row {
  readonly id: number;
  readonly memberId?: number | null;
}

export class OthersRows {
  readonly #ids: Readonly<Record<Kind, Set<number>>> = {
    comments: new Set(),
    articles: new Set(),
    members: new Set(),
    notifications: new Set(),
    series: new Set(),
    ownArticles: new Set(),
  };

  /** @param showsOthers whether the response can show rows of others */
  constructor(
    private readonly ownId: number,
    private readonly showsOthers: boolean,
  ) {}

  async collect<Loaded>(statement: PreparedText, loading: Promise<Loaded[]>): Promise<Loaded[]> {
    const rows = await loading;
    const kind = KINDS.get(statement);
    if (kind) this.add(kind, rows as Row[]);
    return rows;
  }

  add(kind: Kind, rows: readonly Row[]): void {
    for (const { id, memberId: authorId } of rows) {
      const memberId = kind === 'members' ? id : authorId;
      if (memberId === this.ownId) {
        if (kind === 'articles') this.#ids.ownArticles.add(id);
      } else if (this.showsOthers) {
        this.#ids[kind].add(id);
        if (memberId) this.#ids.members.add(memberId);
      }
    }
  }

  /** @returns null if there are none */
  rows(): ShownRows | null {
    const rows = Object.entries(this.#ids).map(([kind, ids]) => [kind, [...ids]] as const);
    return rows.every(([, ids]) => ids.length === 0) ? null : (Object.fromEntries(rows) as Record<Kind, number[]>);
  }
}
