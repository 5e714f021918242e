/** The service under attack: a process with a heap of 512 MB on a database of its own, whose memory can be measured. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JWT_SECRET } from '../support/app.js';
import { type ServiceProcess, startProcess } from '../support/process.js';

const MAX_HEAP_MB = 512;
const METRICS_TOKEN = 'a token for the metrics of an attacked service';

/** A network of its own: limits by network must not count the measuring clients with the attacker (127.0.0.1). */
export const OTHER_NETWORK = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

const metricsAgent = new Agent({ localAddress: OTHER_NETWORK });

export class AttackedService {
  readonly url: string;
  readonly #process: ServiceProcess;
  readonly #dataDir: string;

  private constructor(process: ServiceProcess, dataDir: string) {
    this.#process = process;
    this.#dataDir = dataDir;
    this.url = process.url;
  }

  static async start(databaseUrl: string, environment: Record<string, string> = {}): Promise<AttackedService> {
    const dataDir = await mkdtemp(join(tmpdir(), 'daybook-attacked-'));
    const preload = new URL('./collect-garbage.js', import.meta.url).href;
    const started = await startProcess({
      HOST: '0.0.0.0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      JWT_SECRET,
      METRICS_TOKEN,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--max-old-space-size=${MAX_HEAP_MB} --import ${preload}`,
      // Cached responses are memory that stays in use.
      RESPONSE_CACHE_MB: '8',
      ...environment,
    });
    await started.waitForOutput('Daybook is ready.');
    return new AttackedService(started, dataDir);
  }

  get isAlive(): boolean {
    return this.#process.child.exitCode === null && this.#process.child.signalCode === null;
  }

  /** The log and the standard error output. */
  get log(): string {
    return this.#process.output.stdout + this.#process.output.stderr;
  }

  async stop(): Promise<void> {
    this.#process.child.kill('SIGKILL');
    await this.#process.ended;
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Bytes that are in use after a garbage collection. */
  async collectedMemoryInUse(): Promise<number> {
    this.#process.child.kill('SIGUSR2');
    // The signal has been handled when a request that was sent after it has its response.
    await this.#metrics();
    return this.memoryInUse();
  }

  /** Bytes of JavaScript's heap, with garbage, and of buffers outside of it. */
  async memoryInUse(): Promise<number> {
    const text = await this.#metrics();
    return sumOf(text, 'nodejs_heap_size_used_bytes') + sumOf(text, 'nodejs_external_memory_bytes');
  }

  /** Resets `peakResidentBytes` to the current size. */
  resetPeak(): void {
    const path = `/proc/${this.#process.child.pid}/clear_refs`;
    if (existsSync(path)) writeFileSync(path, '5');
  }

  /** The largest resident set (VmHWM) since `resetPeak`; 0 where the system does not report it. */
  peakResidentBytes(): number {
    const path = `/proc/${this.#process.child.pid}/status`;
    if (!existsSync(path)) return 0;
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  }

  #metrics(): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
      const outgoing = request(
        `${this.url}/metrics`,
        { agent: metricsAgent, headers, timeout: 120_000 },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve(Buffer.concat(chunks).toString());
        },
      );
      outgoing.once('timeout', () => outgoing.destroy(new Error('/metrics does not respond')));
      outgoing.once('error', reject);
      outgoing.end();
    });
  }
}

/** The value of a metric without labels, or the sum over all of its series. */
function sumOf(metrics: string, name: string): number {
  const values = [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
