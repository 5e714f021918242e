/** Splits long lines into chunks, because the running time of Intl.Segmenter grows with the square of the text's length. */

/** Maximum length of a chunk in UTF-16 code units; few paragraphs are longer. */
const LONGEST = 2_000;

/** Breaks at the last space within the maximum length, else at it, but never within a surrogate pair. */
export function splitLongLine(line: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < line.length; ) {
    const end = start + LONGEST < line.length ? breakBefore(line, start, start + LONGEST) : line.length;
    pieces.push(line.slice(start, end));
    start = end;
  }
  return pieces;
}

function breakBefore(line: string, start: number, end: number): number {
  const space = line.lastIndexOf(' ', end);
  if (space > start) return space;
  const isWithinPair = /[\ud800-\udbff]/.test(line.charAt(end - 1));
  return isWithinPair ? end - 1 : end;
}
