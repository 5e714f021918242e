/** Texts of Hexo: tags of Nunjucks. */
import { replaceParts } from '../../text.js';
import { type Conversion, convertMath } from './conversion.js';
import { convertLiquid } from './jekyll.js';

const CODE: [begins: RegExp, ends: RegExp] = [
  /\{% *code(?:block)?\b([^%\n]*)%\}\n?/g,
  /\n?\{% *endcode(?:block)? *%\}/g,
];
const PICTURE = /\{% *(?:asset_img|img)\b([^%{}\n]*)%\}/g;

export function convertHexo(conversion: Conversion, text: string): string {
  const { aside } = conversion;
  const code = replaceParts(text, ...CODE, (source, begun) =>
    aside.block(source, /\blang:([\w+#-]+)/.exec(begun[1] ?? '')?.[1] ?? '', begun),
  );
  const pictures = code.replace(PICTURE, (whole, given: string) => {
    const words = (given.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
    const at = words.findIndex((word) => /\.(?:jpe?g|png|gif|webp|avif|svg)$/i.test(word));
    if (at === -1) return whole;
    const alt = words.slice(at + 1).filter((word) => !/^\d+$/.test(word));
    return `![${alt.join(' ').replace(/[[\]]/g, '')}](<${words[at]?.replace(/[<>]/g, '')}>)`;
  });
  return convertMath(conversion, convertLiquid(conversion, pictures), false);
}
