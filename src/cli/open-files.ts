/** The limit of open files: below what the modules need, Node reports packages as missing (EMFILE). */
import { readFileSync } from 'node:fs';

/** Startup takes fewer than 200; connections of clients, the database and images need the rest. */
const MIN_OPEN_FILES = 512;

/** @returns a sentence if the limit is too low; none where the system does not show it. Node has raised the soft limit to the hard one. */
export function openFilesProblem(): string | undefined {
  const limit = Number(/^Max open files +(\d+)/m.exec(processLimits())?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit >= MIN_OPEN_FILES) return undefined;
  return `The limit of open files is ${limit}, but Daybook needs at least ${MIN_OPEN_FILES}: raise it with "ulimit -n", or LimitNOFILE= of systemd.`;
}

/** Linux only. */
function processLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
