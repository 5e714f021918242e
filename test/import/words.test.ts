/** The visible words of imported texts are those that the product of the source showed, or the report says what differs. */
import { basename } from 'node:path';
import { expect } from 'chai';
import type { Product } from '../../src/import/source.js';
import { ghost } from '../../src/import/sources/ghost.js';
import { markdown } from '../../src/import/sources/markdown.js';
import { medium } from '../../src/import/sources/medium.js';
import { wordpress } from '../../src/import/sources/wordpress.js';
import { compareWords, type ReferenceText } from '../support/compared-words.js';
import { sample } from '../support/import-sources.js';
import { shownByGhost, shownByMedium } from '../support/shown-by-html-products.js';
import { shownByMarkdownProgram } from '../support/shown-by-markdown-programs.js';
import { shownByWordPress } from '../support/shown-by-wordpress.js';

interface Sample {
  product: Product;
  path: string;
  shownBy: (path: string) => Promise<ReferenceText[]>;
  /** Texts and comments that are compared. */
  compared: number;
}

const DIALECTS = ['jekyll', 'hugo', 'obsidian', 'velog'];

const SAMPLES: Sample[] = [
  { product: wordpress, path: sample('wordpress.xml'), shownBy: shownByWordPress, compared: 33 },
  { product: wordpress, path: sample('wordpress-markup.xml'), shownBy: shownByWordPress, compared: 14 },
  { product: ghost, path: sample('ghost/export.json'), shownBy: shownByGhost, compared: 10 },
  { product: medium, path: sample('medium'), shownBy: shownByMedium, compared: 3 },
  ...DIALECTS.map((name) => ({
    product: { ...markdown, name },
    path: sample(`markdown-dialects/${name}`),
    shownBy: shownByMarkdownProgram,
    compared: 1,
  })),
];

describe('The visible words of an import', () => {
  for (const { product, path, shownBy, compared } of SAMPLES) {
    it(`are those of ${product.name} in ${basename(path)}, or are reported`, async () => {
      const result = await compareWords(product, path, await shownBy(path));
      expect(result.differing.filter(({ reasons }) => reasons.length === 0)).to.deep.equal([]);
      expect(result.compared).to.equal(compared);
    });
  }
});
