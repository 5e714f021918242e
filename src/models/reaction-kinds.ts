/**
 * The kinds of reactions to articles. Operations, endpoints, the fields of articles, statistics and viewers, and a file in the archive of a member follow from an
 * entry. `name` is an English verb and noun whose plural and third person end with an `s`; the column of `article_counts` is this plural.
 */
export const REACTIONS = [{ kind: 'LIKE', name: 'like', participle: 'liked' }] as const;

export type Reaction = (typeof REACTIONS)[number];

/** For names of types and messages. */
export const capitalized = <Text extends string>(text: Text): Capitalize<Text> =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;

/** The field with the number of members who have reacted. */
export const countOf = <Name extends string>({ name }: { name: Name }): `${Name}Count` => `${name}Count`;

export type ReactionCounts = Record<`${Reaction['name']}Count`, number>;

export type ReactionsOfViewer = Record<Reaction['participle'], boolean>;

/** An object with an entry for each kind. */
export function byKind<Key extends string, Value>(entry: (reaction: Reaction) => [Key, Value]): Record<Key, Value> {
  return Object.fromEntries(REACTIONS.map(entry)) as Record<Key, Value>;
}

const shownReactions = ({ kind, name }: Reaction) => `shown_reactions(r.article_id, r.${name}s, '${kind}')`;

/** SQL expressions: the numbers of an article with the counters `r`, without members who withdrew. */
export const VISIBLE_COUNTS = byKind((reaction) => [
  countOf(reaction),
  `(select v.number from ${shownReactions(reaction)} v)`,
]);

/** SQL joins for several of these numbers: that of likes is `likes.number`. */
export const JOIN_VISIBLE_COUNTS = REACTIONS.map(
  (one) => `cross join lateral ${shownReactions(one)} ${one.name}s`,
).join(' ');

/** The same in a select list. */
export const SELECTED_COUNTS = Object.entries(VISIBLE_COUNTS)
  .map(([name, sql]) => `${sql} as "${name}"`)
  .join(', ');
