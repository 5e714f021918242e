/** Markdown files, read by two YAML libraries: `yaml` (YAML 1.2) and gray-matter (YAML 1.1), which Eleventy uses. */
import { expect } from 'chai';
import fc from 'fast-check';
import matter from 'gray-matter';
import { parse } from 'yaml';
import { type FrontMatter, markdownFile } from '../../../src/services/rendering/markdown-file.js';
import { NO_METADATA } from '../../support/metadata.js';

const EMPTY: FrontMatter = {
  title: '',
  date: null,
  lastmod: null,
  slug: null,
  author: null,
  categories: [],
  tags: [],
  metadata: NO_METADATA,
  excerpt: null,
  image: null,
  draft: false,
};

const FULL: FrontMatter = {
  title: 'Owls',
  date: new Date('2026-11-20T00:00:00.750Z'),
  lastmod: new Date('2026-11-21T09:30:00Z'),
  slug: 'owls-2',
  author: 'mina',
  categories: ['Travel'],
  tags: ['sea', 'autumn'],
  metadata: { ...NO_METADATA, description: 'One is in the attic.' },
  excerpt: 'There is a door.',
  image: 'https://journal.example/images/a.webp',
  draft: false,
};

const TITLES = [
  'Owls: a "guide" \'to\' them',
  '# Owls',
  '---',
  'a --- b',
  '봄날의 산책 🦉',
  '- item',
  '? key',
  '&anchor *alias !tag',
  '{a: b} [c]',
  '%YAML 1.1',
  '@at `tick`',
  '> folded',
  '| literal',
  'back\\slash \\n \\u0041',
  'trailing: ',
  ' # comment',
  'a\u2028b\u2029c\u0085d\ufeffe\u007ff\ufffe',
  '{{< x >}} {{% y %}} {{ z }}',
  ...['no', 'Yes', 'on', 'null', '~', 'true', '2026', '1:30', '0x1F', '017', '0o17', '1e3', '.inf', '=', '<<'],
  ...['2026-11-20', '2026-11-20T09:30:00Z', '1_000', ''],
];

const CONTENTS = ['', 'One.', '---\n\ntitle: x\n---\n', '\n\n# Owls\r\n\r\nOne.\n\n', '  indented\n...\n', '+++\n'];

/** Both readings of the strings, and of the content. */
function expectReadBack(written: FrontMatter, content: string): void {
  const file = markdownFile(written, content);
  const read = matter(file);
  const [, yaml = ''] = file.split(/^---$/m);
  expect(read.content).to.equal(content);
  for (const data of [read.data, parse(yaml)]) {
    const { date: _date, lastmod: _lastmod, description, descriptionSet, ...strings } = data;
    const { date, lastmod, ...expected } = written;
    const texts = {
      metadata: { ...NO_METADATA, description: descriptionSet ? description : null },
      excerpt: expected.excerpt,
    };
    expect({ ...EMPTY, ...strings, ...texts }).to.deep.equal({ ...expected, date: null, lastmod: null });
  }
}

describe('A Markdown file', () => {
  it('has the fields in order, with times in UTC', () => {
    expect(markdownFile(FULL, 'One is in the **attic**.')).to.equal(`---
title: "Owls"
date: 2026-11-20T00:00:00Z
lastmod: 2026-11-21T09:30:00Z
slug: "owls-2"
author: "mina"
categories:
  - "Travel"
tags:
  - "sea"
  - "autumn"
description: "One is in the attic."
descriptionSet: true
image: "https://journal.example/images/a.webp"
draft: false
---
One is in the **attic**.`);
  });

  it('has the series and the position in it after the tags', () => {
    const file = markdownFile({ ...FULL, series: { title: 'no: #1', position: 3 } }, 'One.');
    expect(file).to.include('  - "autumn"\nseries:\n  - "no: #1"\nseries_weight: 3\ndescription:');
    expect(matter(file).data).to.deep.include({ series: ['no: #1'], series_weight: 3 });
  });

  it('omits empty fields, except the title and whether it is a draft', () => {
    const empty = {
      ...EMPTY,
      slug: '',
      author: '',
      metadata: { ...NO_METADATA, description: '' },
      excerpt: '',
      image: '',
      draft: true,
    };
    expect(markdownFile(empty, 'One.')).to.equal('---\ntitle: ""\ndraft: true\n---\nOne.');
  });

  it('has the excerpt in place of a description that the author has not set', () => {
    const file = markdownFile({ ...FULL, metadata: NO_METADATA }, 'One.');
    expect(matter(file).data).to.include({ description: 'There is a door.' }).and.not.have.property('descriptionSet');
  });

  it('has times that YAML 1.1 reads as timestamps', () => {
    const { data } = matter(markdownFile(FULL, ''));
    expect([data.date, data.lastmod]).to.deep.equal([new Date('2026-11-20T00:00:00Z'), FULL.lastmod]);
  });

  for (const title of TITLES) {
    it(`is read back with the title ${JSON.stringify(title)}`, () => {
      expectReadBack(
        {
          ...FULL,
          title,
          tags: [title || 'tag', 'no'],
          metadata: { ...NO_METADATA, description: `${title}: ${title}` },
        },
        'One.',
      );
    });
  }

  for (const content of CONTENTS) {
    it(`is read back with the content ${JSON.stringify(content)}`, () => expectReadBack(FULL, content));
  }

  it('is read back with any text', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 200 }));
    const one = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, fc.array(one), one, text, (title, tags, description, content) =>
        expectReadBack({ ...FULL, title, tags, metadata: { ...NO_METADATA, description } }, content),
      ),
      { numRuns: 300, seed: 7 },
    );
  });
});
