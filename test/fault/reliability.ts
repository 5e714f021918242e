/** docs/reliability.md: the faults and guarantees that `test/support/faults.ts` declares, with the results of the last run of each. */
import { ROOT } from '../../src/cli/generate/files.js';
import { FAULTS, type FaultName } from '../support/faults.js';

export const PAGE = new URL('docs/reliability.md', ROOT);

/** The measured result of each fault, and where it was measured. */
export type Results = Map<FaultName, { text: string; machine: string }>;

const INTRODUCTION = `# Reliability

What the service guarantees during a fault, and what was measured. \`npm run faults\` injects all faults except the soak, and writes this
page; \`npm run faults -- NAME …\` injects some of them, and \`npm run faults -- soak --minutes 60\` runs the soak. The guarantees are declared
in \`test/support/faults.ts\`; a test fails when this page differs from them. \`npm run test:system\` runs all except the soak,
beside other tests. [Deployment](deploy.md#failures) describes the faults for operators, [scaling](scaling.md) the cluster.

All faults are injected without root. A network partition is a TCP proxy that stops forwarding; a full disk is a file
system in memory in a separate namespace, which the kernel must permit to ordinary users (this one was only run as root).

`;

/** @returns Markdown */
export function reliabilityPage(results: Results): string {
  const rows = (Object.keys(FAULTS) as FaultName[]).map((name) => {
    const { fault, guarantee, ...rest } = FAULTS[name];
    const result = results.get(name);
    const measured = result ? `${result.text} (${result.machine})` : 'not measured';
    const needs = 'needs' in rest ? ` Needs ${rest.needs.join(', ')}.` : '';
    return `| \`${name}\` | ${fault}.${needs} | ${guarantee} | ${measured} |`;
  });
  return `${INTRODUCTION}| Name | Fault | Guarantee | Measured |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** @returns the results of a page */
export function readResults(page: string): Results {
  const rows = page.matchAll(/^\| `([\w-]+)` \| .* \| .* \| (.*) \(([^()]*)\) \|$/gm);
  return new Map([...rows].map(([, name, text = '', machine = '']) => [name as FaultName, { text, machine }]));
}
