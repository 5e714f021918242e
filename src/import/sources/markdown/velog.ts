/** Texts of Velog. */
import { outsideCode } from '../../outside-code.js';
import { type Conversion, convertMath, embedAt, NOW_LINKS, replaceReported } from './conversion.js';

export function convertVelog(conversion: Omit<Conversion, 'aside'>, text: string): string {
  return outsideCode(text, (part, aside) => {
    const all = { ...conversion, aside };
    const linked = replaceReported(all, part, EMBED, (_, name = '', id = '') =>
      embedAt(/^https?:\/\//.test(id) ? id : (ADDRESSES[name]?.(id) ?? id)),
    );
    return convertMath(all, linked, true);
  });
}

const EMBED = [/!(youtube|twitter|codesandbox|codepen)\[[ \t]*([^[\]\s]+)[ \t]*\]/g, NOW_LINKS] as const;

const ADDRESSES: Readonly<Record<string, (id: string) => string>> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${id}`,
  twitter: (id) => `https://twitter.com/${id}`,
  codesandbox: (id) => `https://codesandbox.io/s/${id}`,
  codepen: (id) => `https://codepen.io/${/^[^/]+\/[^/]+$/.test(id) ? id.replace('/', '/pen/') : id}`,
};
