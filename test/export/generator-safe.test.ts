/** Contents and names in exports as Hugo can build them. What Hugo 0.111.3 shows of each was compared by hand. */
import { expect } from 'chai';
import { escapeName, escapeShortcodes, unescapeName, unescapeShortcodes } from '../../src/export/generator-safe.js';

const JOINER = '\u2060';
const CONTENTS: [content: string, escaped: string][] = [
  ['`{{< nestbox id="3" >}}`', '`{{</* nestbox id="3" */>}}`'],
  ['{{% a %}} {{< b */ >}}', '{{%/* a */%}} {{</* b */ */>}}'],
  ['{{</* shown */>}}', '{{</*/* shown */*/>}}'],
  ['{{< a\nb >}}', '{{</* a\nb */>}}'],
  ['begins with `{{<` or {{%', `begins with \`{{${JOINER}<\` or {{${JOINER}%`],
  [`{{${JOINER}< {{< x %}}`, `{{${JOINER}${JOINER}< {{${JOINER}< x %}}`],
  ['{{< a {{< b >}} {{{< c >}}', `{{${JOINER}< a {{</* b */>}} {{{</* c */>}}`],
  ['{{ x }} {{/* y */}} {{>}} {%', '{{ x }} {{/* y */}} {{>}} {%'],
];

describe('Shortcodes in an exported content', () => {
  for (const [content, escaped] of CONTENTS) {
    it(`are no shortcodes of Hugo: ${JSON.stringify(content)}`, () => {
      expect(escapeShortcodes(content)).to.equal(escaped);
      expect(unescapeShortcodes(escaped)).to.equal(content);
    });
  }
});

describe('The name of an exported tag', () => {
  it('leads out of no folder', () => {
    for (const name of ['..', '../x', 'a/..', '(..)', '.!.', '.. /x', '"..']) {
      expect(escapeName(name), name).to.equal(name.replaceAll('.', '\u2024'));
      expect(unescapeName(escapeName(name))).to.equal(name);
    }
    for (const name of ['a..b', '...', '.net', '1.10', '…', '@..']) {
      expect(escapeName(name), name).to.equal(name);
      expect(unescapeName(name), name).to.equal(name);
    }
  });
});
