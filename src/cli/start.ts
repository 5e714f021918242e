/** `daybook start`: runs the service in this process or, with WORKERS, in worker processes. */
import { InvalidArgumentError } from 'commander';
import { type About, DONE, type Subcommands } from './subcommand.js';
import { onParentExit } from './terminal.js';

interface StartOptions {
  port?: string;
  host?: string;
}

const ABOUT: About = {
  summary: 'run the service',
  description: `
Runs until SIGINT (Ctrl-C) or SIGTERM, and then completes the requests in progress. Creates the embedded PostgreSQL, the
secrets and the schema if they do not exist. The settings PORT and HOST are available as options. With WORKERS, several
processes serve the port, and SIGHUP restarts them one after another without an interruption.`.trim(),
  examples: [
    ['npx daybook start', 'on the port in PORT (default: 4000)'],
    ['npx daybook start --port 8080 --host 127.0.0.1', 'reachable from this machine only'],
    ['npx daybook start --port 0', 'on any free port'],
  ],
};

export function addStart({ add, withExitCode, terminal }: Subcommands): void {
  add('start', ABOUT)
    .option('-p, --port <number>', 'port to listen on, overrides PORT', toPort)
    .option('-H, --host <address>', 'address to listen on, overrides HOST')
    .action(withExitCode((options: StartOptions) => start(options, terminal.env)));
}

/** Sets the environment before the import, since server.ts reads it on load and then manages the process itself. */
async function start({ port, host }: StartOptions, env: NodeJS.ProcessEnv): Promise<number> {
  Object.assign(process.env, env, port && { PORT: port }, host && { HOST: host });
  onParentExit(env, () => process.kill(process.pid, 'SIGTERM'));
  const [{ loadConfig }, { exitAfterFailedStart }] = await Promise.all([
    import('../platform/config/index.js'),
    import('../server/process.js'),
  ]);
  try {
    const config = loadConfig();
    if (config.workers === null) await import('../server/server.js');
    else await (await import('../server/cluster/primary.js')).startPrimary(config, config.workers);
  } catch (error) {
    exitAfterFailedStart(error);
  }
  return DONE;
}

function toPort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError('Expected a port from 0 (any free one) to 65535.');
}
