/** Programs that some tests need, from packages of Debian and npm. CI requires them. */
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
  'nginx-light': 'nginx',
  caddy: 'caddy',
  pgbouncer: 'pgbouncer',
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
  'ruby-kramdown-parser-gfm': '/var/lib/dpkg/info/ruby-kramdown-parser-gfm.list',
  '@11ty/eleventy@3.1.8': 'eleventy',
};

export type Package = keyof typeof PROGRAMS;

export function missingPackages(needed: readonly Package[]): Package[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return needed.filter((name) => !folders.some((folder) => existsSync(resolve(folder, PROGRAMS[name]))));
}

/** A `describe` that is skipped if programs are missing. */
export function describeWith(needed: readonly Package[], title: string, body: (this: Suite) => void): void {
  const missing = missingPackages(needed);
  if (missing.length > 0 && process.env.CI) throw new Error(`CI needs ${missing.join(' ')}`);
  if (missing.length > 0) describe.skip(`${title} (skipped, because it needs: ${installCommand(missing)})`, body);
  else describe(title, body);
}

/** Packages of npm have a scope. */
function installCommand(packages: readonly Package[]): string {
  const isScoped = (name: string) => name.startsWith('@');
  const commands = [
    ['apt-get install', packages.filter((name) => !isScoped(name))],
    ['npm install --global', packages.filter(isScoped)],
  ] as const;
  return commands.flatMap(([command, names]) => (names.length > 0 ? [`${command} ${names.join(' ')}`] : [])).join('; ');
}
