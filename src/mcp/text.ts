/** The text form of results: one line for each value, and the text of an article or a draft at the end, unchanged. */

type Fields = Readonly<Record<string, unknown>>;

export function textOf(data: Fields): string {
  const { content, ...others } = data;
  const text = linesOf(others, '').join('\n');
  return typeof content === 'string' ? `${text}\n\n${content}` : text;
}

/** What a program may show as the end of a line: all control characters except tabs, and the separators of Unicode. */
const BREAK = /\r\n|[^\P{Cc}\t]|[\u2028\u2029]/u;

/** The lines of a text that follow are indented, so that they do not look like further values. */
export function indentBreaks(text: string, indent: string): string {
  return text.split(BREAK).join(`\n${indent}  `);
}

/** Without values that are null. */
function linesOf(fields: Fields, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return [];
    if (Array.isArray(value)) return listOf(name, value, indent);
    if (typeof value === 'object') return [`${indent}${name}:`, ...linesOf(value as Fields, `${indent}  `)];
    return [`${indent}${name}: ${indentBreaks(String(value), indent)}`];
  });
}

function listOf(name: string, values: readonly unknown[], indent: string): string[] {
  if (!values.some((value) => typeof value === 'object'))
    return [`${indent}${name}: ${indentBreaks(values.join(', ') || 'none', indent)}`];
  const items = values.map((value) => {
    const [first = '', ...more] = linesOf(value as Fields, `${indent}  `);
    return [`${indent}- ${first.trimStart()}`, ...more];
  });
  return [`${indent}${name}:`, ...items.flat()];
}
