/** Other products on the same data. Those of npm are installed into their own folders by the first run that measures them. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchData } from './data.js';
import { startGhost } from './ghost.js';
import type { Peer } from './peer-cases.js';
import { startPostgraphile } from './postgraphile.js';
import { type AtEnd, log } from './session.js';
import { startStrapi } from './strapi.js';
import { findPhpFpm, startWordpress, WORDPRESS } from './wordpress.js';

interface Product {
  start(data: BenchData, atEnd: AtEnd, node: string): Promise<Peer>;
  /** A program or file of each package of Debian that it needs. */
  packages?: Readonly<Record<string, string>>;
}

const MARIADB = { 'mariadb-server-core': 'mariadbd', 'mariadb-client-core': 'mariadb' };

const PRODUCTS: Readonly<Record<string, Product>> = {
  postgraphile: { start: startPostgraphile },
  strapi: { start: startStrapi },
  ghost: { start: startGhost, packages: MARIADB },
  wordpress: {
    start: startWordpress,
    packages: {
      wordpress: `${WORDPRESS}/wp-settings.php`,
      'php-fpm': findPhpFpm(),
      'php-cli': 'php',
      'php-mysql': '/usr/share/doc/php-mysql',
      'php-apcu': '/usr/share/doc/php-apcu',
      ...MARIADB,
      'nginx-light': 'nginx',
    },
  },
};

const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const nodeOf = (name: string) => `${FOLDER}${name}/node_modules/.bin/node`;
/** PostGraphile 5 and Ghost 6 require a newer Node than the service, which is installed with them. */
export const PEER_NODE = nodeOf('postgraphile');

export interface Peers {
  /** Path of the Node binary for all contenders. */
  readonly node: string;
  start(data: BenchData, node: string, atEnd: AtEnd): Promise<Peer[]>;
}

/** Names of those that are installed. */
export function installedPeers(): string[] {
  return Object.keys(PRODUCTS).filter((name) => !needsNpm(name) && missingPackages(name).length === 0);
}

function needsNpm(name: string): boolean {
  const folder = FOLDER + name;
  return existsSync(`${folder}/package.json`) && !existsSync(`${folder}/node_modules`);
}

function missingPackages(name: string): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const packages = Object.entries(PRODUCTS[name]?.packages ?? {});
  return packages.flatMap(([name, file]) =>
    folders.some((folder) => existsSync(resolve(folder, file))) ? [] : [name],
  );
}

/**
 * Installs them unless they are installed.
 * @param names a comma-separated list; empty for none
 * @throws Error for an unknown name, or with the command that installs missing packages of Debian
 */
export function installPeers(names: string): Peers {
  const wanted = Object.keys(PRODUCTS).filter((name) => names.split(',').includes(name));
  if (names && wanted.length !== names.split(',').length) {
    throw new Error(`--peer must be a comma-separated list of ${Object.keys(PRODUCTS).join(', ')}.`);
  }
  const missing = wanted.flatMap(missingPackages);
  if (missing.length > 0) {
    throw new Error(`Install first: apt-get install --no-install-recommends ${[...new Set(missing)].join(' ')}`);
  }
  for (const name of wanted.filter(needsNpm)) install(FOLDER + name);
  const withNode = wanted.find((name) => name === 'postgraphile' || name === 'ghost');
  return {
    node: withNode ? nodeOf(withNode) : process.execPath,
    async start(data, node, atEnd) {
      const peers: Peer[] = [];
      for (const name of wanted) {
        const peer = await PRODUCTS[name]?.start(data, atEnd, node);
        if (peer) peers.push(peer);
      }
      return peers;
    },
  };
}

function install(folder: string): void {
  log(`Installing ${folder}.`);
  const command = existsSync(`${folder}/package-lock.json`) ? 'ci' : 'install';
  // The peers run with a Node of their own, which npm does not know: `engine-strict` of this project would reject the one that runs npm.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--no-engine-strict'];
  const { status, error, stderr } = spawnSync('npm', [command, ...options], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  rmSync(`${folder}/node_modules`, { recursive: true, force: true });
  throw new Error(`npm ${command} in ${folder} failed: ${error?.message ?? stderr.trim().slice(-1000)}`);
}
