/** The cluster of deploy/cluster, with relays through which its members reach each other, so that one can be cut off. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../src/cli/generate/files.js';
import { makeFolder } from './folder.js';
import { type Relay, startRelay } from './relay.js';
import { until } from './until.js';

const START = fileURLToPath(new URL('deploy/cluster/start.js', ROOT));
const OFFSET = 50;
/** Longer than the TTL, so that a killed member is not started again before the failover. */
const RESTART_SECONDS = 30;
/** For a former primary, which may have to copy the changed parts of the new one first. */
const REJOIN_MS = 120_000;
/** Between two requests to the members, which take processor time that the failover needs. */
export const POLL_MS = 100;

export interface Cluster {
  /** The processes of the service: the first uses the address of HAProxy, the second the list of hosts. */
  readonly urls: readonly string[];
  /** Of the database at the primary, through HAProxy. */
  readonly databaseUrl: string;
  /** The member with this role, if there is one at the moment. */
  find(role: 'leader' | 'sync_standby', besides?: string): Promise<string | undefined>;
  /** Resolves when another member than `former` accepts writes, with the time: it is noticed up to POLL_MS late. */
  replaced(former: string): Promise<number>;
  /** Resolves when all members run and there is a synchronous standby. */
  complete(): Promise<void>;
  signal(member: string, signal: NodeJS.Signals): Promise<void>;
  relaysOf(member: string): readonly Relay[];
  switchOver(leader: string): Promise<void>;
  stop(): Promise<void>;
}

export function hasClusterPrograms(): boolean {
  return ['etcd', 'patroni', 'haproxy'].every((program) => spawnSync(program, ['--version']).error === undefined);
}

/** Whether a former primary leaves the lock to the new one when it continues after a pause: from version 3.0.3 on. */
export function isPatroniSafeAfterPause(): boolean {
  const version = /\d+\.\d+\.\d+/.exec(spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout)?.[0] ?? '';
  return version.localeCompare('3.0.3', undefined, { numeric: true }) >= 0;
}

/** @param environment of the processes of the service */
export async function startCluster(environment: Record<string, string>): Promise<Cluster> {
  const folder = await makeFolder();
  // Below the ports of `findFreePort` and of outgoing connections.
  const port = 11_000 + (process.pid % 90) * 100;
  const members = ['member1', 'member2', 'member3'];
  const relays = new Map<string, Relay[]>();
  for (const [index, member] of members.entries()) {
    const [postgres, rest] = [port + 11 + index, port + 21 + index];
    const to = (target: number, own: number) => startRelay(() => `tcp://127.0.0.1:${target}`, undefined, own + OFFSET);
    relays.set(member, [await to(postgres, postgres), await to(rest, rest), await to(port + 2, rest + 10)]);
  }
  const { PATH = '', HOME = '' } = process.env;
  const own = { CLUSTER_DIR: folder, CLUSTER_PORT: String(port), CLUSTER_ADVERTISED_OFFSET: String(OFFSET) };
  const env = { PATH, HOME, CLUSTER_RESTART_SECONDS: String(RESTART_SECONDS), ...own, ...environment };
  const script = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await output(script, 'The cluster is ready');
  const { daybook } = JSON.parse(await readFile(join(folder, 'passwords.json'), 'utf8')) as { daybook: string };

  const pidsOf = async (member: string) => {
    const files = [join(folder, `${member}.pid`), join(folder, member, 'postmaster.pid')];
    const [patroni = 0, postmaster = 0] = await Promise.all(
      files.map(async (file) => Number((await readFile(file, 'utf8')).split('\n')[0])),
    );
    return [patroni, postmaster, ...(await childrenOf(postmaster))];
  };
  /** From any member that responds. */
  const overview = async () => {
    const responses = members.map(async (_, index) => {
      const response = await fetch(`http://127.0.0.1:${port + 21 + index}/cluster`, {
        signal: AbortSignal.timeout(500),
      });
      return (await response.json()) as { members: { name: string; role: string; state: string }[] };
    });
    return Promise.any(responses).catch(() => ({ members: [] }));
  };
  const find: Cluster['find'] = async (role, besides) =>
    (await overview()).members.find((member) => member.role === role && member.name !== besides)?.name;
  const isPrimary = async (member: string) => {
    const url = `http://127.0.0.1:${port + 21 + members.indexOf(member)}/primary`;
    return (await fetch(url, { signal: AbortSignal.timeout(500) }).catch(() => undefined))?.status === 200;
  };
  return {
    urls: [port + 4, port + 5].map((own) => `http://127.0.0.1:${own}`),
    databaseUrl: `postgres://daybook:${daybook}@127.0.0.1:${port + 1}/daybook`,
    find,
    replaced: async (former) => {
      const others = members.filter((member) => member !== former);
      await until(async () => (await Promise.all(others.map(isPrimary))).includes(true), undefined, POLL_MS);
      return performance.now();
    },
    complete: async () => {
      const isComplete = async () => {
        const { members: all } = await overview();
        const isRunning = all.length === members.length && all.every(({ state }) => state === 'running');
        return isRunning && all.some(({ role }) => role === 'sync_standby');
      };
      await until(isComplete, REJOIN_MS, POLL_MS);
    },
    signal: async (member, signal) => {
      const pids = await pidsOf(member);
      for (const pid of pids) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          // A backend that has ended meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
    },
    relaysOf: (member) => relays.get(member) ?? [],
    switchOver: async (leader) => {
      const url = `http://127.0.0.1:${port + 21 + members.indexOf(leader)}/switchover`;
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ leader }) });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    },
    stop: async () => {
      const ended = new Promise((resolve) => script.once('close', resolve));
      script.kill('SIGINT');
      await ended;
      for (const relay of [...relays.values()].flat()) await relay.close();
    },
  };
}

function output(script: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    script.stdout?.setEncoding('utf8').on('data', (part) => {
      received += part;
      if (received.includes(text)) resolve();
    });
    script.once('exit', (code) => reject(new Error(`deploy/cluster/start.js ended with ${code}: ${received}`)));
  });
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}
