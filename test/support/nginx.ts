/** A real nginx with the provided configuration. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../../src/cli/generate/files.js';
import { freePort } from './server.js';

export interface Nginx {
  url: string;
  /** What it has logged: requests and errors. */
  logs(): Promise<string>;
  /** Of the server that redirects to https: a path for `http.request`. */
  redirectSocket: string;
  stop(): Promise<void>;
}

/** Starts nginx in front of one process, or of two, at these ports. Without TLS, which requires a certificate. */
export async function startNginx(ports: readonly [string, string?]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-nginx-'));
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), around(await site(ports, port), folder));
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: 'pipe',
  });
  let errors = '';
  nginx.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => nginx.once('close', resolve));
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, nginx, () => errors);
  return {
    url,
    logs: async () => errors + (await readFile(join(folder, 'access.log'), 'utf8')),
    redirectSocket: join(folder, 'redirect.sock'),
    stop: async () => {
      nginx.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function site([one, two]: readonly [string, string?], port: number): Promise<string> {
  const text = await readFile(new URL('deploy/nginx.conf', ROOT), 'utf8');
  return text
    .replace('127.0.0.1:4001', `127.0.0.1:${one}`)
    .replace('# server 127.0.0.1:4002', two === undefined ? '$&' : `server 127.0.0.1:${two}`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace('listen 80;', 'listen unix:redirect.sock;')
    .replace(/^\s*(?:listen \[::\]:(?:443|80)|ssl_certificate).*$/gm, '');
}

/** The surrounding configuration, as in the nginx.conf of a distribution. */
function around(text: string, folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  // By default the workers run as another user without access to the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
access_log ${folder}/access.log;
gzip on;
gzip_proxied any;
gzip_types application/json;
${paths}
${text.replace('unix:', `unix:${folder}/`)}
}
`;
}

async function untilReady(url: string, nginx: ChildProcess, errors: () => string): Promise<void> {
  while (!(await fetch(url).catch(() => undefined))) {
    if (nginx.exitCode !== null) throw new Error(errors());
    await delay(20);
  }
}
