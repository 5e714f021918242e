/** Other products on the same data. Each is installed into its own folder by the first run that measures it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PageWanted } from './cases.js';
import type { BenchData } from './data.js';
import type { Contender } from './measure.js';
import { startPostgraphile } from './postgraphile.js';
import { type AtEnd, log } from './session.js';
import { startStrapi } from './strapi.js';

type Start = (data: BenchData, node: string, atEnd: AtEnd) => Promise<Contender<PageWanted>>;

const PEERS = new Map<string, Start>([
  ['postgraphile', startPostgraphile],
  ['strapi', startStrapi],
]);

const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
/** PostGraphile 5 requires a newer Node than the service, which is installed with it. */
export const PEER_NODE = `${FOLDER}postgraphile/node_modules/.bin/node`;

export interface Peers {
  /** Path of the Node binary for all contenders. */
  readonly node: string;
  start(data: BenchData, node: string, atEnd: AtEnd): Promise<Contender<PageWanted>[]>;
}

/** Names of those that are installed. */
export function installedPeers(): string[] {
  return [...PEERS.keys()].filter((name) => isInstalled(FOLDER + name));
}

function isInstalled(folder: string): boolean {
  return existsSync(`${folder}/node_modules`);
}

/** Installs them unless they are installed. @param names a comma-separated list; empty for none. @throws Error for an unknown name */
export function installPeers(names: string): Peers {
  const wanted = [...PEERS].filter(([name]) => names.split(',').includes(name));
  if (names && wanted.length !== names.split(',').length) {
    throw new Error(`--peer must be a comma-separated list of ${[...PEERS.keys()].join(', ')}.`);
  }
  for (const [name] of wanted) install(FOLDER + name);
  return {
    node: names.includes('postgraphile') ? PEER_NODE : process.execPath,
    async start(data, node, atEnd) {
      const contenders = [];
      for (const [, start] of wanted) contenders.push(await start(data, node, atEnd));
      return contenders;
    },
  };
}

function install(folder: string): void {
  if (isInstalled(folder)) return;
  log(`Installing ${folder}.`);
  const command = existsSync(`${folder}/package-lock.json`) ? 'ci' : 'install';
  // The peers run with a Node of their own, which npm does not know: `engine-strict` of this project would reject the one that runs npm.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--no-engine-strict'];
  const { status, error, stderr } = spawnSync('npm', [command, ...options], { cwd: folder, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`npm ${command} in ${folder} failed: ${error?.message ?? stderr.trim().slice(-1000)}`);
}
