/** Attacks on a process with a heap of 512 MB, while another client measures how long it waits for ordinary responses. */
import { expect } from 'chai';
import { type AiProvider, respond, startAiProvider } from '../support/ai-provider.js';
import { freshDatabase } from '../support/database.js';
import { slowdown } from '../support/time-limits.js';
import { type Attack, carryOut, REJECTED_BY_LOAD } from './attack.js';
import { costAttacks } from './attacks/graphql-cost.js';
import { documentAttacks, inputAttacks } from './attacks/graphql-input.js';
import { bodyAttacks, connectionAttacks } from './attacks/http.js';
import { accountAttacks, databaseAttacks, providerAttacks, renderingAttacks } from './attacks/shared-work.js';
import { socketAttacks } from './attacks/sockets.js';
import { toolAttacks } from './attacks/tools.js';
import type { Outcome } from './http.js';
import { AI_DAILY_BUDGET, type Journal, seedJournal } from './journal.js';
import { ORDINARY, startOtherClient, type Waits } from './other-client.js';
import { AttackedService } from './service.js';

const MB = 1024 * 1024;
/** After this time, multiplied by the slowdown of the machine, the service counts as hung by an attack. */
const MAX_ATTACK_MS = 30_000;
/** Maximum growth of memory in use after an attack, for caches. */
const MAX_RETAINED_BYTES = 48 * MB;
const MAX_RESIDENT_BYTES = 800 * MB;
/** Maximum time in milliseconds until memory in use has dropped again. */
const MAX_SETTLING_MS = 10_000;

const GROUPS: Record<string, Readonly<Record<string, Attack>>> = {
  'GraphQL input': inputAttacks,
  'The GraphQL document cache': documentAttacks,
  'GraphQL cost': costAttacks,
  'Request bodies': bodyAttacks,
  Connections: connectionAttacks,
  WebSockets: socketAttacks,
  'Tools for agents': toolAttacks,
  Accounts: accountAttacks,
  Rendering: renderingAttacks,
  'The AI provider': providerAttacks,
  PostgreSQL: databaseAttacks,
};

interface Observed {
  outcomes: Outcome[];
  /** Why the service must be restarted: the attack does not end, or the service does not respond after it. */
  hang: string | undefined;
  waits: Waits[];
  retainedBytes: number;
  residentBytes: number;
}

describe('The service withstands', function () {
  this.timeout(MAX_ATTACK_MS + MAX_SETTLING_MS + 60_000);
  let databaseUrl: string;
  let provider: AiProvider;
  let environment: Record<string, string>;
  let journal: Journal;
  let service: AttackedService;
  /** Memory in use after the last garbage collection; undefined if the service has been restarted since. */
  let settledBytes: number | undefined;
  const report: string[] = [];

  before(async () => {
    databaseUrl = await freshDatabase('daybook_hostile');
    provider = await startAiProvider();
    provider.setResponses(respond.withText('A summary.'));
    environment = { ...provider.environment, AI_DAILY_BUDGET: String(AI_DAILY_BUDGET) };
    service = await AttackedService.start(databaseUrl, environment);
    journal = await seedJournal(service.url, databaseUrl, provider);
  });
  after(async () => {
    await service.stop();
    await provider.close();
    process.stdout.write(`\n${report.join('\n')}\n`);
  });

  for (const [group, attacks] of Object.entries(GROUPS)) {
    describe(group, () => {
      for (const [name, attack] of Object.entries(attacks)) {
        it(name, async () => {
          const examined = await attack.examine?.(journal);
          const observed = await observe(attack);
          report.push(`${describeObserved(observed)}  ${name}`);
          const isAlive = service.isAlive;
          const { log } = service;
          // An attack that succeeds must not make the next ones fail.
          if (!isAlive || observed.hang) await restart();
          expect(isAlive, `the process has died: ${log.slice(-2000)}`).to.equal(true);
          expect(observed.hang).to.equal(undefined);
          requireOutcomes(attack, observed.outcomes);
          requireShortWaits(observed);
          expect(observed.retainedBytes / MB, 'MB retained').to.be.below(MAX_RETAINED_BYTES / MB);
          expect(observed.residentBytes / MB, 'MB resident at most').to.be.below(MAX_RESIDENT_BYTES / MB);
          await examined?.();
        });
      }
    });
  }

  async function observe(attack: Attack): Promise<Observed> {
    settledBytes ??= await service.collectedMemoryInUse();
    service.resetPeak();
    const other = await startOtherClient(service.url, [...ORDINARY, ...(attack.others?.(journal) ?? [])]);
    const controller = new AbortController();
    let hang: string | undefined;
    const startedAt = performance.now();
    const limit = () => {
      const maxMs = MAX_ATTACK_MS * slowdown();
      const leftMs = startedAt + maxMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(limit, leftMs);
        return;
      }
      hang = `the attack is not over within ${(maxMs / 1000).toFixed(0)} s`;
      controller.abort();
    };
    let timer = setTimeout(limit, MAX_ATTACK_MS);
    const outcomes = await carryOut(attack, service.url, journal, controller.signal);
    clearTimeout(timer);
    const waits = await other.stop();
    const residentBytes = service.isAlive ? service.peakResidentBytes() : 0;
    const observed = { outcomes, waits, residentBytes, retainedBytes: 0 };
    if (hang || !service.isAlive) return { ...observed, hang };
    // Background work may delay the responses of the service.
    return settledGrowth(settledBytes).then(
      (retainedBytes) => ({ ...observed, retainedBytes, hang }),
      (error: Error) => ({ ...observed, hang: `no metrics after the attack: ${error.message}` }),
    );
  }

  async function settledGrowth(before: number): Promise<number> {
    // A garbage collection takes longer than many attacks.
    const uncollected = (await service.memoryInUse()) - before;
    if (uncollected < MAX_RETAINED_BYTES) return uncollected;
    const end = Date.now() + MAX_SETTLING_MS * slowdown();
    for (;;) {
      settledBytes = await service.collectedMemoryInUse();
      const growth = settledBytes - before;
      if (growth < MAX_RETAINED_BYTES || Date.now() > end) return growth;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  async function restart(): Promise<void> {
    await service.stop();
    settledBytes = undefined;
    service = await AttackedService.start(databaseUrl, environment);
  }
});

function requireOutcomes({ expected, required, atMost = {} }: Attack, outcomes: Outcome[]): void {
  const counts = countLabels(outcomes);
  expect([...new Set(outcomes.flatMap(({ violations }) => violations))]).to.deep.equal([]);
  const allowed = [...expected, ...REJECTED_BY_LOAD];
  const others = Object.keys(counts).filter((label) => !partsOf(label).every((part) => allowed.includes(part)));
  expect(others, `outcomes beside ${allowed.join(', ')}, of ${JSON.stringify(counts)}`).to.deep.equal([]);
  if (required) expect(Object.keys(counts)).to.include(required);
  for (const [label, most] of Object.entries(atMost)) expect(counts[label] ?? 0, label).to.be.at.most(most);
}

function requireShortWaits({ waits }: Observed): void {
  for (const { name, longestMs, maxWaitMs, failures } of waits) {
    expect(failures, `failures of the other client's ${name}`).to.deep.equal([]);
    if (longestMs >= maxWaitMs) expect(longestMs, `longest wait for ${name}`).to.be.below(maxWaitMs * slowdown());
  }
}

/** `200 A B`, of an operation with several errors, is `200 A` and `200 B`. */
function partsOf(label: string): string[] {
  const [kind, ...keys] = label.split(' ');
  return keys.length > 1 ? keys.map((key) => `${kind} ${key}`) : [label];
}

function countLabels(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of outcomes) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

function describeObserved({ outcomes, hang, waits, retainedBytes, residentBytes }: Observed): string {
  const longest = waits.map(({ name, longestMs }) => `${name} ${longestMs.toFixed(0)} ms`).join(', ');
  const memory = `+${(retainedBytes / MB).toFixed(0)} MB, ${(residentBytes / MB).toFixed(0)} MB resident`;
  return `${hang ? 'HANGS ' : ''}${longest}; ${memory}; ${JSON.stringify(countLabels(outcomes))}`;
}
