/** The example front end (`examples/blog`): its installation, its server, and what stands between it and the service. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../src/cli/generate/files.js';
import { closeServer, listen } from './server.js';

export const BLOG = fileURLToPath(new URL('examples/blog/', ROOT));

const { PATH = '', HOME = '' } = process.env;

/** @returns the output of a command of npm in the folder of the example */
export function npm(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd: BLOG, env: { PATH, HOME, ASTRO_TELEMETRY_DISABLED: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`npm ${args.join(' ')}: ${output}`)),
    );
  });
}

/** For this process and those that it starts. */
export function markAsBuilt(): void {
  process.env.BLOG_IS_BUILT = 'true';
}

/** Installs the packages if they are missing, and builds the example once. */
export async function buildBlog(): Promise<void> {
  if (process.env.BLOG_IS_BUILT) return;
  if (!existsSync(`${BLOG}node_modules/astro`)) await npm('ci', '--no-audit', '--no-fund');
  await npm('run', 'build');
  markAsBuilt();
}

export interface Blog {
  url: string;
  stop(): Promise<void>;
}

export async function startBlog(port: number, environment: Record<string, string>): Promise<Blog> {
  const env = { PATH, HOST: '127.0.0.1', PORT: String(port), ...environment };
  const child = spawn(process.execPath, ['server.js'], { cwd: BLOG, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`The example ended with ${code}.`)));
  });
  const stop = async () => {
    child.kill();
    await ended;
  };
  // Passkeys need a host name.
  return { url: `http://localhost:${port}`, stop };
}

/** What a request of the example was: the name of its GraphQL operation, or its path. */
interface Seen {
  name: string;
  headers: IncomingMessage['headers'];
  /** Of the body of its response, as it is sent. */
  bytes: number;
}

/** A proxy in front of the service, which notes each request, and can behave like a service that is down, or slow. */
export class Between {
  readonly seen: Seen[] = [];
  mode: 'up' | 'down' | 'silent' = 'up';
  url = '';
  readonly #server = createServer((incoming, response) => void this.#forward(incoming, response));

  constructor(readonly target: () => string) {}

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.#server)}`;
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  /** Ends all connections, as a restart of the service does. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  /** @returns the names of the requests since the last call, without those of scripts that run in the background */
  take(): string[] {
    const names = this.seen.splice(0).map(({ name }) => name);
    return names.filter((name) => name !== 'View' && name !== '/api/notifications/stream');
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url = '', headers } = incoming;
    const operation = url === '/graphql' ? /(?:query|mutation) (\w+)/.exec(body.toString())?.[1] : undefined;
    const seen: Seen = { name: operation ?? url, headers, bytes: 0 };
    this.seen.push(seen);
    if (this.mode === 'down') return void incoming.socket.destroy();
    if (this.mode === 'silent') return;
    const upstream = request(this.target() + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (chunk: Buffer) => (seen.bytes += chunk.length)).pipe(response);
      answer.once('error', () => response.destroy());
    });
    upstream.once('error', () => response.destroy());
    response.once('close', () => upstream.destroy());
    upstream.end(body);
  }
}

/** `npm run example`, without the compilation before it. */
export function startExample(environment: Record<string, string>) {
  const script = fileURLToPath(new URL('scripts/example.js', ROOT));
  const child = spawn(process.execPath, [script], { env: { PATH, HOME, HOST: '127.0.0.1', ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { output: () => output, hasEnded: () => child.exitCode !== null, ended, stop };
}
