/** Texts of Velog. */
import { type Conversion, convertMath, embedAt, NOW_LINKS, replaceReported } from './conversion.js';

export function convertVelog(conversion: Conversion, text: string): string {
  const linked = replaceReported(conversion, text, EMBED, (_, name = '', id = '') =>
    embedAt(/^https?:\/\//.test(id) ? id : (ADDRESSES[name]?.(id) ?? id)),
  );
  return convertMath(conversion, linked, true);
}

const EMBED = [/!(youtube|twitter|codesandbox|codepen)\[[ \t]*([^[\]\s]+)[ \t]*\]/g, NOW_LINKS] as const;

const ADDRESSES: Readonly<Record<string, (id: string) => string>> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${id}`,
  twitter: (id) => `https://twitter.com/${id}`,
  codesandbox: (id) => `https://codesandbox.io/s/${id}`,
  codepen: (id) => `https://codepen.io/${/^[^/]+\/[^/]+$/.test(id) ? id.replace('/', '/pen/') : id}`,
};
