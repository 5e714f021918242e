#!/usr/bin/env node
/** Starts the example front end (`examples/blog`) beside the service, which it starts too if none runs, with the sample journal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDaybook } from '../dist/src/platform/http/listen.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BLOG = `${ROOT}examples/blog`;
const MAIN = `${ROOT}dist/src/cli/main.js`;

const servicePort = process.env.PORT ?? '4000';
const service = `http://localhost:${servicePort}`;
const sitePort = process.env.EXAMPLE_PORT ?? '4001';
const site = `http://localhost:${sitePort}`;

/** What the service has to know of a front end: docs/frontends.md. */
const SETTINGS = {
  SITE_URL: site,
  ARTICLE_URL: `${site}/articles/{slug}`,
  MEMBER_URL: `${site}/members/{id}`,
  ACCOUNT_URL: `${site}/account`,
  SHARE_URL: `${site}/shared`,
  TRUST_PROXY: '127.0.0.1,::1',
  WEBAUTHN_RP_ID: 'localhost',
  WEBAUTHN_ORIGINS: `${site},${service}`,
};

const children = [];
let isEnding = false;

process.on('SIGINT', () => end(0));
process.on('SIGTERM', () => end(0));

await checkSitePort();
const isRunning = await isReady();
if (!isRunning) {
  start(process.execPath, ['--enable-source-maps', MAIN, 'start'], { env: { ...process.env, ...SETTINGS } });
  while (!(await isReady())) await delay(200);
}
if (await isEmpty()) await run(process.execPath, [MAIN, 'seed'], { cwd: process.cwd() });
if (!existsSync(`${BLOG}/node_modules/astro`)) await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: BLOG });
await run('npm', ['run', '--silent', 'build'], { cwd: BLOG, stdio: ['ignore', 'ignore', 'inherit'] });
start(process.execPath, ['server.js'], {
  cwd: BLOG,
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: sitePort,
    DAYBOOK_URL: service,
    SITE_URL: site,
    SITE_LANGUAGES: 'en,ko,sv,ar',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
while (!(await isUp(`${site}/icon.svg`))) await delay(100);
process.stdout.write(`
  Example   ${site}
  Service   ${service}
`);
if (isRunning) {
  const settings = Object.entries(SETTINGS).map(([name, value]) => `  ${name}=${value}`);
  process.stdout.write(`
The service was running already. Passkeys, links to the example and limits by visitor need these settings of it:
${settings.join('\n')}
`);
}

/** The site is started last: before anything else is started or installed, this tells whether it can be. */
async function checkSitePort() {
  try {
    const server = createServer().listen(sitePort, '127.0.0.1');
    await once(server, 'listening');
    await server[Symbol.asyncDispose]();
  } catch ({ code }) {
    process.stderr.write(
      `The example cannot listen on port ${sitePort} (${code}): set EXAMPLE_PORT to another port.\n`,
    );
    process.exit(1);
  }
}

async function isUp(url) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Whether it runs. If another program has its port, the start of the service says so. */
async function isReady() {
  return (await isDaybook('localhost', servicePort)) && isUp(`${service}/readyz`);
}

async function isEmpty() {
  const response = await fetch(`${service}/api/articles?size=1`);
  const { data } = await response.json();
  return data.pagination.totalElements === 0;
}

function start(program, args, options) {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  children.push(child);
  child.on('exit', (code) => end(code ?? 0));
}

function run(program, args, options) {
  return new Promise((resolve) => {
    spawn(program, args, { stdio: 'inherit', ...options }).on('exit', (code) =>
      code === 0 ? resolve() : end(code ?? 1),
    );
  });
}

/** Ends the processes that it has started, and itself after them. */
async function end(code) {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(children.filter((child) => child.kill()).map((child) => once(child, 'exit')));
  process.exit(code);
}
