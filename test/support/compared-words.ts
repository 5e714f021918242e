/** Compares the visible words of an import with those that the product of the source showed. */
import { openInput } from '../../src/import/input.js';
import { memberPerson } from '../../src/import/person.js';
import { planArticle } from '../../src/import/plan.js';
import type { Product } from '../../src/import/source.js';
import { renderHtml } from '../../src/services/rendering/render-worker.js';
import { openWith } from './import-sources.js';
import { visibleLines } from './visible-words.js';

const MAX_HTML_LENGTH = 10_000_000;

/** Of lists and what is struck out, in the plain text of a comment: no words of the source. */
const MARKS = /^\s*(?:-|\d+\.) |~~/g;

/** @returns the visible lines of an article */
export function linesOfMarkdown(content: string): string[] {
  return visibleLines(renderHtml(content, MAX_HTML_LENGTH));
}

export interface ReferenceText {
  key: string;
  html: string;
  comments?: ReadonlyMap<string, string>;
}

export interface ComparedText {
  key: string;
  title: string;
  shown: string[];
  imported: string[];
  /** Reasons in the report about this text; empty: nothing was lost. */
  reasons: string[];
}

/** @returns the articles and comments that differ, and how many were compared */
export async function compareWords(
  product: Product,
  path: string,
  references: readonly ReferenceText[],
): Promise<{ compared: number; differing: ComparedText[] }> {
  const input = await openInput(path);
  const byKey = new Map(references.map((reference) => [reference.key, reference]));
  const differing: ComparedText[] = [];
  let compared = 0;
  const compare = (key: string, text: Omit<ComparedText, 'key'>) => {
    compared++;
    if (text.shown.join('\n') !== text.imported.join('\n')) differing.push({ key, ...text });
  };
  try {
    const source = await openWith(product, input);
    const items = [];
    for await (const item of source.items()) items.push(item);
    for (const item of items) {
      if (item.kind !== 'article') continue;
      const { key, title } = item;
      const reference = byKey.get(key);
      if (!reference) throw new Error(`the reference has no text with the key ${key}`);
      const { article } = planArticle(item, { defaultAuthor: () => memberPerson(1), now: new Date() });
      const completed = item.isIncomplete ? source.completeContent?.(key, article.content) : undefined;
      const content = completed?.content ?? article.content;
      const reasons = [...article.notes, ...(completed?.reduced ?? []), ...(completed?.changed ?? [])];
      compare(key, {
        title,
        shown: visibleLines(reference.html),
        imported: linesOfMarkdown(content),
        reasons: reasons.map(({ reason }) => reason),
      });
      for (const comment of article.comments) {
        const shown = reference.comments?.get(comment.key);
        if (shown === undefined) continue;
        const lines = comment.content.split('\n').map((line) => line.replace(MARKS, '').replace(/\s+/g, ' ').trim());
        const own = article.notes.filter(({ example }) => example === `comment ${comment.key}`);
        compare(`comment ${comment.key}`, {
          title,
          shown: visibleLines(shown),
          imported: lines.filter(Boolean),
          reasons: own.map(({ reason }) => reason),
        });
      }
    }
  } finally {
    await input.close();
  }
  return { compared, differing };
}
