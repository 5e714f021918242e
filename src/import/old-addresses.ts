/** The addresses of imported articles on their old host: for links between articles, and for redirects. */
import { copyOf } from './text.js';

/** About 300 bytes each in memory. */
const MAX_ADDRESSES = 500_000;

interface OldAddress {
  /** As in the export. */
  address: string;
  postId: string;
}

export class OldAddresses {
  readonly #byAddress = new Map<string, OldAddress>();

  add(address: string, postId: string): void {
    if (!URL.canParse(address) || this.#byAddress.size >= MAX_ADDRESSES) return;
    this.#byAddress.set(copyOf(normalize(new URL(address))), { address: copyOf(address), postId: copyOf(postId) });
  }

  /** The id of the post with this address, or with the short form `?p=ID`. Undefined for other addresses. */
  postIdOf(url: string): string | undefined {
    return this.#byAddress.get(normalize(new URL(url)))?.postId;
  }

  all(): OldAddress[] {
    return [...this.#byAddress.values()];
  }
}

/** Equal for the addresses by which WordPress finds the same post: of either scheme, with or without a slash or a fragment. */
function normalize({ host, pathname, searchParams }: URL): string {
  const postId = searchParams.get('p');
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}${postId === null ? '' : `?p=${postId}`}`;
}
