/**
 * Repairs what makes an XML file invalid where there is only one way to read it, as importers of WordPress do: old exports have
 * addresses with a raw `&`.
 */
import sax from 'sax';
import { decodeEntities } from '../../text.js';
import type { RepairRecord } from './records.js';

const { ENTITIES } = sax as unknown as { ENTITIES: Record<string, string> };

/** XML 1.0, 2.2. */
const CONTROL = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;
/** Sections without references, with their ends. */
const SECTIONS: Readonly<Record<string, string>> = { '<![CDATA[': ']]>', '<!--': '-->', '<?': '?>' };
const MARKUP =
  /<!\[CDATA\[|<!--|<\?|<!DOCTYPE|<(?![a-z_:/!?\u0080-\uffff])|&(#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]*;)?/gi;
const PREDEFINED = new Set(['amp;', 'lt;', 'gt;', 'quot;', 'apos;']);
/** The beginning of a match, at the end of a chunk. */
const BEGUN = /(?:[<&][^<>&;]{0,40}|\]{1,2}|-{1,2}|\?)$/;

const REASONS = {
  control: 'control characters in the file, which XML does not permit: left out',
  ampersand: 'raw & in the file, which has to be &amp;: repaired',
  less: 'raw < in the file, which has to be &lt;: repaired',
  entity: 'entities of HTML in the file, such as &nbsp;, which XML does not have: repaired',
};

export class XmlRepair {
  readonly #emit: (repair: RepairRecord) => void;
  #rest = '';
  #line = 1;
  /** The end of the section that is open, or empty. */
  #end = '';
  #declaresEntities = false;

  constructor(emit: (repair: RepairRecord) => void) {
    this.#emit = emit;
  }

  /** @returns the text up to where the next chunk has to be known */
  repair(chunk: string, isLast: boolean): string {
    const text = this.#rest + chunk;
    const held = isLast ? -1 : text.search(BEGUN);
    this.#rest = held === -1 ? '' : text.slice(held);
    const known = held === -1 ? text : text.slice(0, held);
    const repaired = this.#escape(this.#withoutControl(known));
    this.#line += lineCount(known);
    return repaired;
  }

  #withoutControl(text: string): string {
    const report = this.#reporter(text);
    return text.replace(CONTROL, (_, at: number) => report(REASONS.control, at));
  }

  #escape(text: string): string {
    const report = this.#reporter(text);
    const parts: string[] = [];
    let from = 0;
    while (from < text.length) {
      if (this.#end !== '') {
        const at = text.indexOf(this.#end, from);
        if (at === -1) break;
        parts.push(text.slice(from, at + this.#end.length));
        from = at + this.#end.length;
        this.#end = '';
      }
      MARKUP.lastIndex = from;
      const found = MARKUP.exec(text);
      if (!found) break;
      const [match, entity] = found;
      parts.push(text.slice(from, found.index));
      from = found.index + match.length;
      this.#end = SECTIONS[match.toUpperCase()] ?? '';
      parts.push(this.#repaired(match, entity, (reason) => report(reason, found.index)));
    }
    return parts.join('') + text.slice(from);
  }

  #repaired(match: string, entity: string | undefined, report: (reason: string) => string): string {
    if (/^<!DOCTYPE/i.test(match)) this.#declaresEntities = true;
    if (entity?.startsWith('#')) {
      const character = decodeEntities(match);
      const isPermitted = character !== match && character.search(CONTROL) === -1;
      return isPermitted ? match : report(REASONS.control);
    }
    if (this.#declaresEntities || (entity !== undefined && PREDEFINED.has(entity))) return match;
    if (match === '<') report(REASONS.less);
    if (match[0] === '&')
      report(Object.hasOwn(ENTITIES, entity?.slice(0, -1) ?? '') ? REASONS.entity : REASONS.ampersand);
    return match === '<' ? '&lt;' : match.replace(/^&/, '&amp;');
  }

  /** Positions have to grow. */
  #reporter(text: string): (reason: string, at: number) => string {
    let line = this.#line;
    let from = 0;
    return (reason, at) => {
      line += lineCount(text.slice(from, at));
      from = at;
      this.#emit({ kind: 'repair', line, reason });
      return '';
    };
  }
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
