/** Programs that some tests need, from packages of Debian. CI requires them. */
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Suite } from 'mocha';

/** A program of each package, or a path. */
const PROGRAMS = {
  patroni: 'patroni',
  'etcd-server': 'etcd',
  haproxy: 'haproxy',
  postgresql: '/usr/lib/postgresql',
  'util-linux': 'unshare',
  'redis-server': 'redis-server',
  'nginx-light': 'nginx',
  caddy: 'caddy',
  pgbouncer: 'pgbouncer',
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
};

export type Package = keyof typeof PROGRAMS;

export function missingPackages(needed: readonly Package[]): Package[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return needed.filter((name) => !folders.some((folder) => existsSync(resolve(folder, PROGRAMS[name]))));
}

/** A `describe` that is skipped if programs are missing. */
export function describeWith(needed: readonly Package[], title: string, body: (this: Suite) => void): void {
  const missing = missingPackages(needed).join(' ');
  if (missing && process.env.CI) throw new Error(`CI needs ${missing}`);
  if (missing) describe.skip(`${title} (skipped, because it needs: apt-get install ${missing})`, body);
  else describe(title, body);
}
