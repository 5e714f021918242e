/** The existing path that is nearest to an unknown one, for the message of its 404. */

/** Characters of an unknown path that is compared: longer ones are not misspelled. */
const MAX_LENGTH = 100;

/** Differing characters, and those of added and missing segments with their slashes: `/api/v1/articles` has 3. */
const MAX_DISTANCE = 3;

/**
 * Compares segment by segment, with parameters equal to any segment. Each segment is compared with each different segment of the paths once, so that
 * the time depends on their number and not on that of the paths.
 * @param paths with parameters in braces
 */
export function nearestPathTo(paths: readonly string[]): (path: string) => string | null {
  const known = paths.map((path) => ({ path, segments: segmentsOf(path) }));
  return (path) => {
    if (path.length > MAX_LENGTH) return null;
    const segments = segmentsOf(path.toLowerCase());
    const length = segments.join('').length;
    const compared = new Map<string, number>();
    const compare = (one: string, other: string) => {
      if (other.startsWith('{')) return 0;
      const key = `${one}/${other}`;
      const distance = compared.get(key) ?? distanceOf([...one], [...other], difference);
      compared.set(key, distance);
      return distance;
    };
    let nearest: string | null = null;
    let least = Math.min(MAX_DISTANCE, Math.floor(length / 2)) + 1;
    for (const candidate of known) {
      if (Math.abs(candidate.segments.length - segments.length) > 1) continue;
      const distance = distanceOf(segments, candidate.segments, compare);
      if (distance < least) [nearest, least] = [candidate.path, distance];
    }
    return nearest;
  };
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function difference(one: string, other: string): number {
  return one === other ? 0 : 1;
}

/** The Levenshtein distance of two lists, of characters or of segments. */
function distanceOf(one: readonly string[], other: readonly string[], compare: typeof difference): number {
  const costOf = (item: string) => (compare === difference ? 1 : item.length + 1);
  let previous = [0];
  for (const item of other) previous.push((previous.at(-1) ?? 0) + costOf(item));
  for (const left of one) {
    const current = [(previous[0] ?? 0) + costOf(left)];
    for (const [index, right] of other.entries()) {
      const replaced = (previous[index] ?? 0) + compare(left, right);
      const removed = (previous[index + 1] ?? 0) + costOf(left);
      const added = (current[index] ?? 0) + costOf(right);
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
