/** Settings: declarations, documentation and error messages. */
import { expect } from 'chai';
import { ConfigError, loadConfig, responseCacheBytes } from '../../../src/platform/config/index.js';
import type { Declaration } from '../../../src/platform/config/setting.js';
import { settingGroups, settings } from '../../../src/platform/config/settings/index.js';

describe('Settings', () => {
  const documented = settingGroups.flatMap((group) => Object.entries<{ declared: Declaration }>(group.settings));

  it('are all documented, each once', () => {
    const names = documented.map(([name]) => name).filter((name) => !name.includes('<'));
    expect([...names].sort()).to.deep.equal(Object.keys(settings).sort());
  });

  it('have a description of their value, their purpose and their default', () => {
    for (const [name, { declared }] of documented) {
      expect(declared.expected, name).to.match(/^\S.*[^.\s]$/s);
      expect(declared.description, name).to.match(/^\S.*\.$/s);
      expect(declared.default || declared.effectiveDefault, name).to.be.a('string').that.is.not.empty;
    }
  });

  it('can be set to their default values', () => {
    const defaults = documented
      .filter(([name]) => !name.includes('<'))
      .map(([name, { declared }]) => [name, declared.default]);
    expect(loadConfig(Object.fromEntries(defaults))).to.deep.equal(loadConfig({}));
  });

  it('give the response cache a 32nd of the memory by default, from 32 to 512 MiB', () => {
    const gib = 1024 ** 3;
    const megabytes = [0.25, 1, 4, 8, 64].map((gibibytes) => responseCacheBytes('auto', gibibytes * gib) / 1024 ** 2);
    expect(megabytes).to.deep.equal([32, 32, 128, 256, 512]);
    expect(responseCacheBytes(0, gib)).to.equal(0);
    expect(loadConfig({}).responseCache.maxBytes).to.be.within(32 * 1024 ** 2, 512 * 1024 ** 2);
    const few = loadConfig({ WORKERS: '64' }).responseCache.maxBytes;
    expect(few).to.equal(32 * 1024 ** 2);
  });

  it('are marked as secret according to their names, and secrets are omitted from error messages', () => {
    for (const [name, { declared }] of documented) {
      if (/SECRET|PASSWORD|TOKEN$|_KEY|HEADERS$/.test(name)) expect(declared.isSecret, name).to.equal(true);
    }
    for (const name of Object.keys(settings)) {
      const isHidden = settings[name as keyof typeof settings].declared.isSecret;
      const message = messageOf(() => loadConfig({ [name]: 'hushhush' }));
      if (isHidden) expect(message, name).to.not.contain('hush');
    }
  });

  it('are rejected where they would be accepted and then do not work', () => {
    const rejected: [NodeJS.ProcessEnv, string][] = [
      [
        { PUBLIC_URL: 'https://journal.example.org/?a=1' },
        'PUBLIC_URL must be a URL without a query and a fragment, such as https://journal.example.org, not "https://journal.example.org/?a=1".',
      ],
      [
        { CORS_ORIGINS: '*' },
        'CORS_ORIGINS must be origins such as https://example.org, separated by commas, without wildcards, not "*".',
      ],
      [
        { BACKUP_PASSPHRASE: 'hush' },
        'BACKUP_PASSPHRASE must be at least 12 characters, not the given value (hidden).',
      ],
      [{ ACCESS_TOKEN_TTL: '15d' }, 'ACCESS_TOKEN_TTL must not be longer than REFRESH_TOKEN_TTL.'],
    ];
    for (const [env, message] of rejected) expect(messageOf(() => loadConfig(env))).to.equal(message);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }
}
