/** Long lines in pieces: the time that Intl.Segmenter takes for a text grows with the square of its length. */

/** UTF-16 units; few paragraphs are longer. */
const LONGEST = 2_000;

/** Broken at a space where there is one, else anywhere but within a character. */
export function inPieces(line: string): string[] {
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
