/** Texts of Zenn. */
import { convertContainers } from './containers.js';
import { type Conversion, convertMath, embedAt, NOW_LINKS, replaceReported } from './conversion.js';

export function convertZenn(conversion: Conversion, text: string): string {
  const linked = replaceReported(conversion, text, EMBED, (_, name = '', id = '') =>
    embedAt(/^https?:\/\//.test(id) ? id : (ADDRESSES[name]?.(id) ?? id)),
  );
  // Widths of pictures.
  const plain = linked.replace(/(!\[[^[\]\n]*\]\([^\s()]+) =\d+x\d*\)/g, '$1)');
  return convertContainers(conversion, convertMath(conversion, plain, true));
}

const EMBED = [/^@\[(\w+)\]\([ \t]*([^\s()]+)[ \t]*\)/gm, NOW_LINKS] as const;

const ADDRESSES: Readonly<Record<string, (id: string) => string>> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${id}`,
  slideshare: (id) => `https://www.slideshare.net/slideshow/embed_code/key/${id}`,
  speakerdeck: (id) => `https://speakerdeck.com/player/${id}`,
};
