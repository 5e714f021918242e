/** Generated requests: responses are correct, the process survives, and other clients are not delayed. */
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { ROOT } from '../../src/cli/generate/files.js';
import { type AiProvider, startAiProvider } from '../support/ai-provider.js';
import { freshDatabase } from '../support/database.js';
import { slowdown } from '../support/time-limits.js';
import { generateGraphQL } from './generate-document.js';
import { generateRest, type OpenApi } from './generate-request.js';
import { type HttpRequest, send } from './http.js';
import { type Journal, seedJournal } from './journal.js';
import { ORDINARY, type OtherClient, startOtherClient } from './other-client.js';
import { SeededRandom } from './seeded-random.js';
import { AttackedService } from './service.js';

const CASES = Number(process.env.HOSTILE_CASES ?? 1_000);
const SEED = Number(process.env.HOSTILE_SEED ?? 20_261_121);
const MB = 1024 * 1024;

describe(`${CASES} generated requests (seed ${SEED})`, function () {
  this.timeout(60_000 + CASES * 100);
  let service: AttackedService;
  let provider: AiProvider;
  let journal: Journal;
  let other: OtherClient;
  const agent = new Agent({ keepAlive: true });
  const labels: Record<string, number> = {};
  let slowest = { ms: 0, what: '' };

  before(async () => {
    const databaseUrl = await freshDatabase('daybook_generated');
    provider = await startAiProvider();
    service = await AttackedService.start(databaseUrl, provider.environment);
    journal = await seedJournal(service.url, databaseUrl, provider);
    service.resetPeak();
    other = await startOtherClient(service.url, ORDINARY);
  });
  after(async () => {
    await service.stop();
    await provider.close();
  });

  it('get correct responses when generated from the GraphQL schema', async () => {
    const schema = buildSchema(await readFile(new URL('schema.graphql', ROOT), 'utf8'));
    await expectCorrect((random, tokens) => generateGraphQL(random, schema, tokens));
  });

  it('get correct responses when generated from openapi.json', async () => {
    const document = JSON.parse(await readFile(new URL('openapi.json', ROOT), 'utf8')) as OpenApi;
    await expectCorrect((random, tokens) => generateRest(random, document, tokens));
  });

  it('delay another client by less than a second', async () => {
    const waits = await other.stop();
    const peak = (service.peakResidentBytes() / MB).toFixed(0);
    const longest = waits.map(({ name, longestMs, requests }) => `${name} ${longestMs.toFixed(0)} ms of ${requests}`);
    process.stdout.write(`      longest waits of the other client: ${longest.join(', ')}
      peak of resident memory: ${peak} MB
      slowest request: ${slowest.ms.toFixed(0)} ms, ${slowest.what}
      outcomes: ${JSON.stringify(labels)}\n`);
    const factor = slowdown();
    for (const { name, longestMs, maxWaitMs, failures } of waits) {
      expect(failures, name).to.deep.equal([]);
      expect(longestMs, name).to.be.below(maxWaitMs * factor);
    }
  });

  async function expectCorrect(generate: (random: SeededRandom, tokens: string[]) => HttpRequest): Promise<void> {
    // Not the author: the other client reads an article of theirs, which must stay.
    const tokens = [journal.attacker.token, journal.other.token];
    const property = fc.asyncProperty(fc.gen(), async (value) => {
      const request = generate(new SeededRandom(value), tokens);
      const outcome = await send(service.url, request, agent, AbortSignal.timeout(120_000));
      const what = `${outcome.label} for ${JSON.stringify({ ...request, headers: undefined }).slice(0, 3_000)}`;
      labels[outcome.label] = (labels[outcome.label] ?? 0) + 1;
      if (outcome.ms > slowest.ms) slowest = { ms: outcome.ms, what: what.slice(0, 300) };
      expect(service.isAlive, `the process has died after ${what}: ${service.log.slice(-2_000)}`).to.equal(true);
      expect(outcome.violations, `${what}\n${service.log.slice(-2_000)}`).to.deep.equal([]);
      expect(outcome.label, `${outcome.cause} of ${what}`).to.not.equal('closed');
    });
    // No shrinking: the service is stateful, so only the first failure is meaningful.
    await fc.assert(property, { numRuns: CASES / 2, seed: SEED, endOnFailure: true, includeErrorInReport: true });
  }
});
