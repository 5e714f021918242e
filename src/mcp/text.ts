/** The text form of results: one line for each value, and the text of an article or a draft at the end, unchanged. */

type Fields = Readonly<Record<string, unknown>>;

export function textOf(data: Fields): string {
  const { content, ...others } = data;
  const text = linesOf(others, '').join('\n');
  return typeof content === 'string' ? `${text}\n\n${content}` : text;
}

/** Without values that are null. */
function linesOf(fields: Fields, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return [];
    if (Array.isArray(value)) return listOf(name, value, indent);
    if (typeof value === 'object') return [`${indent}${name}:`, ...linesOf(value as Fields, `${indent}  `)];
    const [first, ...more] = String(value).split('\n');
    // The lines of a text that follow are indented, so that they do not look like further values.
    return [`${indent}${name}: ${first}`, ...more.map((line) => `${indent}  ${line}`)];
  });
}

function listOf(name: string, values: readonly unknown[], indent: string): string[] {
  if (!values.some((value) => typeof value === 'object')) return [`${indent}${name}: ${values.join(', ') || 'none'}`];
  const items = values.map((value) => {
    const [first = '', ...more] = linesOf(value as Fields, `${indent}  `);
    return [`${indent}- ${first.trimStart()}`, ...more];
  });
  return [`${indent}${name}:`, ...items.flat()];
}
