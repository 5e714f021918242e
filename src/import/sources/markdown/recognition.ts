/** What a folder of Markdown files is read as, why, and what that changes: for the report. */
import type { Site, SiteKind } from './site.js';

interface Recognition {
  program: string;
  /** The file by which it is recognized. */
  sign: RegExp | null;
  /** Where no file is the reason. */
  since?: string;
  effect: string;
}

const RECOGNITIONS: Readonly<Record<SiteKind, Recognition>> = {
  daybook: {
    program: 'an export of Daybook or the archive of a member',
    sign: /^(?:daybook-export|profile)\.json$/,
    effect: 'contents are not converted',
  },
  jekyll: {
    program: 'a site of Jekyll',
    sign: /^_config\.(?:toml|ya?ml|json)$|(?:^|\/)_(?:posts|drafts)\//,
    effect: 'only texts in _posts and _drafts become articles; Liquid and kramdown are converted',
  },
  hexo: {
    program: 'a site of Hexo',
    sign: /^source\/_posts\//,
    effect: 'only texts in _posts and _drafts become articles; tags of Hexo are converted',
  },
  hugo: {
    program: 'a site of Hugo',
    sign: /^(?:config\/_default\/)?(?:hugo|config)\.(?:toml|ya?ml|json)$|(?:^|\/)_index\.md$/,
    effect: 'shortcodes and attributes are converted',
  },
  obsidian: {
    program: 'a vault of Obsidian',
    sign: /(?:^|\/)\.obsidian\//,
    effect: 'links, tags and comments of Obsidian are converted',
  },
  velog: {
    program: 'a backup of Velog',
    sign: null,
    since: 'its texts have fields, embeds or pictures that only Velog has',
    effect: 'embeds of Velog are converted',
  },
  zenn: {
    program: 'articles of Zenn',
    sign: null,
    since: 'its texts have the fields emoji, type and topics',
    effect: 'messages, details and embeds of Zenn are converted',
  },
  plain: {
    program: 'Markdown of no certain program',
    sign: null,
    since: 'it has neither settings of Hugo, Jekyll or Hexo nor a folder .obsidian',
    effect: 'callouts, shortcodes and links between notes are converted',
  },
};

export function recognitionOf({ kind, input, root, hasLineBreaks, zone }: Site): string {
  const { program, sign, since, effect } = RECOGNITIONS[kind];
  const inner = [...input.entries()].map(({ path }) => path.slice(root.length));
  const file = sign && inner.find((path) => sign.test(path));
  return [
    `${program}, since ${file ? `it has ${file}` : since}: ${effect}`,
    ...(hasLineBreaks ? ['Single line breaks are shown'] : []),
    ...(zone ? [`Dates without a time zone are those of ${zone}, as in its settings`] : []),
    ...(kind === 'plain' || kind === 'daybook' ? [] : ['Otherwise it would be read as Markdown of no certain program']),
  ].join('. ');
}
