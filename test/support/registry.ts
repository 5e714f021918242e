/** A registry of npm packages on this machine: serves those of `node_modules`, so that a package can be installed without network access. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from './cli.js';

interface Manifest {
  name: string;
  version: string;
  scripts?: Record<string, string>;
}

interface Installed {
  folder: string;
  manifest: Manifest;
}

export interface Registry {
  url: string;
  close(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const packages = await installedPackages();
  const server = createServer((request, response) => void respond(packages, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The versions of each package, by its name. Those for other platforms are not installed. */
async function installedPackages(): Promise<Map<string, Installed[]>> {
  const lock = JSON.parse(await readFile(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean }>;
  };
  const paths = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const packages = new Map<string, Installed[]>();
  for (const [path] of paths) {
    const folder = join(ROOT, path);
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const manifest = JSON.parse(text) as Manifest;
    packages.set(manifest.name, [...(packages.get(manifest.name) ?? []), { folder, manifest }]);
  }
  return packages;
}

/** `/name`: the metadata of its versions; `/name/-/version.tar`: the files of one. */
async function respond(
  packages: ReadonlyMap<string, readonly Installed[]>,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, name = '', version] = /^\/([^?]+?)(?:\/-\/([^/]+)\.tar)?$/.exec(decodeURIComponent(url)) ?? [];
  const found = packages.get(name);
  if (!found) return void response.writeHead(404).end('{}');
  if (version === undefined) {
    const dist = (each: string) => ({ tarball: `http://${headers.host}/${name}/-/${each}.tar` });
    const versions = Object.fromEntries(
      found.map(({ manifest }) => [manifest.version, { ...manifest, dist: dist(manifest.version) }]),
    );
    response.writeHead(200, { 'Content-Type': 'application/json' });
    return void response.end(
      JSON.stringify({ name, versions, 'dist-tags': { latest: found.at(-1)?.manifest.version } }),
    );
  }
  const folder = found.find(({ manifest }) => manifest.version === version)?.folder ?? '';
  // Packages of npm contain no links: those in `node_modules` were created by install scripts.
  const tar = spawn('tar', ['-c', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
  tar.stdout.pipe(response);
}
