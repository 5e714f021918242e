/** docs/command-line.md, generated from the help texts of the commands. */
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { buildProgram } from '../program.js';

const INTRODUCTION = `# The command line

\`npx daybook\` has everything that is done to a journal from outside, beside the running service or without it. It works in
a clone after \`npm ci\`, in any folder of it, as root and as an ordinary user, and without network. The first time, and after
a change of the sources, it builds itself, which takes a second or two and is told on standard error.

Settings are those of the service ([configuration](configuration.md)), and so are its database and images: with nothing set,
those in \`.daybook\` at the root of the clone. Files are looked for in the folder where the command is given. The embedded
PostgreSQL is shared with a running service, and started for the command where none runs.

Results go to standard output, everything else to standard error. The exit code is 0 where the command was done, 1 where it
was not, with one sentence that says why, and 2 where it makes no sense. \`LOG_LEVEL=debug\` adds where in the program an error
came from. Ctrl-C stops a command in a way that leaves nothing half done; a second one ends it at once.

\`npm start\`, \`npm run import\` and \`npm run seed\` are \`npx daybook start\`, \`import\` and \`seed\` after a build; their options go
behind \`--\`.

This page is made by \`npm run generate\` from the commands themselves; a test fails where the two differ.
`;

/** @returns Markdown, the same for the same commands */
export function describeCommands(): string {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const terminal = { stdout, stderr: stdout, env: {}, listenForStop: () => new AbortController().signal };
  const program = buildProgram(terminal, () => {});
  const helpOf = (command: Command) => {
    command.outputHelp();
    return String(stdout.read()).trimEnd();
  };
  const sections = program.commands.map((command) => section(`\`${command.name()}\``, helpOf(command)));
  return [INTRODUCTION, section('All commands', helpOf(program)), ...sections].join('\n');
}

function section(title: string, help: string): string {
  return `## ${title}\n\n\`\`\`text\n${help}\n\`\`\`\n`;
}
