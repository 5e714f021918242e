/** docs/configuration.md, generated from the declarations of the settings. */

import { settingGroups } from '../../config/settings/index.js';
import type { Declaration } from '../../config/values.js';

const INTRODUCTION = `# Configuration

Everything is set in the environment, and everything has a default. An empty variable counts as one that is not set. A value that does
not fit stops the start with a sentence that names the setting, what was expected and what came; secrets are never shown.

Durations are a number and a unit: \`30s\`, \`15m\`, \`12h\`, \`14d\`. Limits are a number and a duration, \`10/15m\`: ten in fifteen minutes.
🔒 marks what is secret: keep it out of images, repositories and command lines.

This page is made by \`npm run generate\` from the declarations in \`src/config/settings\`; a test fails where the two differ.
`;

/** @returns Markdown, the same for the same declarations */
export function describeConfiguration(): string {
  const sections = settingGroups.map(({ title, settings }) => {
    const rows = Object.entries(settings).map(([name, { declared }]) => row(name, declared));
    return `\n## ${title}\n\n| Setting | Default | Must be | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRODUCTION + sections.join('');
}

function row(name: string, { default: value, otherwise = '', desc, about, isSecret }: Declaration): string {
  const cells = [`\`${name}\`${isSecret ? ' 🔒' : ''}`, value === '' ? otherwise : `\`${value}\``, desc, about];
  return `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
}
