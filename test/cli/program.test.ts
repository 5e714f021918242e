/** The command line: help texts and usage errors. */
import { expect } from 'chai';
import { runDaybook, startDaybook } from '../support/cli.js';
import { readDocument } from '../support/documents.js';

const COMMANDS = [
  ...['start', 'migrate', 'import', 'export', 'backup', 'restore', 'seed', 'doctor'],
  ...['invite', 'member', 'token', 'article', 'comment', 'moderation', 'changes', 'webhook'],
];

describe('daybook', function () {
  this.timeout(60_000);

  it('lists the commands, with and without --help', async () => {
    const help = await startDaybook(['--help']).result;
    expect([help.code, help.stderr]).to.deep.equal([0, '']);
    const listed = [...help.stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name);
    expect(listed).to.deep.equal([...COMMANDS, 'help']);
    expect(await runDaybook([])).to.deep.equal(help);
    const table = (await readDocument('docs/command-line.md')).match(/^\| `.*/gm) ?? [];
    expect(table.flatMap((row) => [...row.matchAll(/(?<=`)[a-z]+(?=`)/g)].map(String))).to.deep.equal(COMMANDS);
  });

  for (const name of COMMANDS) {
    it(`documents ${name} with usage and examples`, async () => {
      const { code, stdout, stderr } = await runDaybook([name, '--help']);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(new RegExp(`^Usage: daybook ${name} `));
      const examples = [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, typed]) => typed);
      expect(examples).to.not.be.empty;
      for (const typed of examples) expect(typed).to.match(new RegExp(`^npx daybook ${name}( |$)`));
      expect((await runDaybook(['help', name])).stdout).to.equal(stdout);
    });
  }

  const misused: Record<string, [string[], string]> = {
    'an unknown command': [['imprt'], `Unknown command 'imprt'. Did you mean import?\nSee "npx daybook --help".`],
    'an unknown option': [
      ['migrate', '--dry-rn'],
      `Unknown option '--dry-rn'. Did you mean --dry-run?\nSee "npx daybook migrate --help".`,
    ],
    'a missing file': [['import'], `Missing required argument 'source'.\nSee "npx daybook import --help".`],
    'an additional file': [
      ['import', 'a.xml', 'b.xml'],
      `Too many arguments for 'import'. Expected 1 argument but got 2.\nSee "npx daybook import --help".`,
    ],
    'an invalid port': [
      ['start', '--port', '65536'],
      `Option '-p, --port <number>' argument '65536' is invalid. Expected a port from 0 (any free one) to 65535.\nSee "npx daybook start --help".`,
    ],
    'a missing member': [
      ['export', '--member', ''],
      `Option '-m, --member <id or email>' argument '' is invalid. Expected a value, got an empty string.\nSee "npx daybook export --help".`,
    ],
  };
  for (const [what, [args, message]] of Object.entries(misused)) {
    it(`exits with 2 and an error for ${what}`, async () => {
      expect(await runDaybook(args)).to.deep.equal({ code: 2, stdout: '', stderr: `${message}\n` });
    });
  }

  it('exits with 1 and an error for each invalid setting', async () => {
    const { code, stdout, stderr } = await runDaybook(['migrate'], { PORT: 'abc', JWT_SECRET: 'hushhush' });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^PORT must be [^\n]+\.\nJWT_SECRET must be [^\n]+\.\n$/);
    expect(stderr).to.not.contain('hushhush');
  });
});
