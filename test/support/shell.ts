/** Runs the commands of Markdown documents in a shell. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import ms from 'ms';
import { fencesOf } from './documents.js';

/**
 * A shell on a running service. `npm run` and `npx daybook` run the command `DAYBOOK` without a build; npm's other commands are
 * what CI does. Errors of the service are for the caller to look at.
 */
const PRELUDE = `
set -euo pipefail
curl() {
  local limit=60 ended=0
  # A stream does not end by itself.
  case " $* " in *" -N "*) limit=3 ;; esac
  command curl --silent --show-error --max-time $limit "$@" || ended=$?
  echo
  [ $ended = 0 ] || { [ $limit = 3 ] && [ $ended = 28 ]; }
}
npm() {
  case "$*" in
    "run import "*) shift; daybook "$@" ;;
    *) echo "not known here: npm $*" >&2; return 1 ;;
  esac
}
npx() { [ "$1" = daybook ] || return 1; shift; daybook "$@"; }
daybook() {
  local command=$1; shift; [ "\${1-}" != -- ] || shift
  $DAYBOOK "$command" "$@"
}
`;

/** The content of `sh` fences, without exempted ones. */
export function shellOf(document: string): string[] {
  return fencesOf(document).flatMap(({ info, text, exemption }) => (info === 'sh' && !exemption ? [text] : []));
}

/** @param environment has the working directory as FOLDER, and the program that runs subcommands as DAYBOOK @returns the output */
export async function runInShell(
  commands: readonly string[],
  environment: Record<string, string>,
  url: string,
  name = 'README.md',
): Promise<string> {
  // The times of the examples pass.
  const until = `--until ${new Date(Date.now() + ms('30d')).toISOString().slice(0, 10)}`;
  const script =
    PRELUDE +
    commands
      .join('\n')
      .replaceAll('http://localhost:4000', url)
      .replaceAll(/--until \d{4}-\d\d-\d\d/g, until);
  try {
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: environment.FOLDER,
      // Commands write addresses of the service, as images.
      env: { PORT: new URL(url).port, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${name}: ${stderr}\n${stdout.slice(-2000)}`);
  }
}

/** A response may be an error only where the document shows this error. */
export function requireDocumentedCodes(output: string, document: string): void {
  const fences = fencesOf(document).filter(({ info }) => info !== 'sh');
  const shown = fences.map(({ text }) => text).join();
  const unknown = [...output.matchAll(/"code":"(\w+)"/g)].filter(
    ([, code = '']) => code !== '1' && !shown.includes(code),
  );
  if (unknown.length > 0) throw new Error(`${unknown.join()}\n${output}`);
}
