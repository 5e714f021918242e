/** Runs `daybook doctor`: all checks concurrently, with the findings in a fixed order. */
import { hostUrls } from '../../platform/config/database-url.js';
import { type Config, ConfigError, loadConfig } from '../../platform/config/index.js';
import { misspelledSettings } from '../../platform/config/misspelled-settings.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { settings } from '../../platform/config/settings/index.js';
import { oneLine } from '../../platform/errors.js';
import { DONE, FAILED } from '../subcommand.js';
import type { Terminal } from '../terminal.js';
import { checkDatabase } from './database.js';
import { type Finding, failure, type Health, ok, warning } from './finding.js';
import { checkAddress, checkMetrics, checkPort } from './http.js';
import { checkDataDir, checkNode } from './machine.js';
import { checkMail } from './mail.js';
import { checkAi, checkLogins } from './providers.js';
import { checkStorage } from './storage.js';

/** Minimum length in UTF-16 units: shorter secrets would also match parts of ordinary words. */
const MIN_LENGTH = 4;

/** @returns a function that replaces the secrets of the environment and of the data folder in a text with `•••` */
async function secretsRedactor(env: NodeJS.ProcessEnv, dataDir: string): Promise<(text: string) => string> {
  const generated = await readSecrets(dataDir).catch(() => ({}));
  const secrets = [
    ...Object.entries(env).flatMap(([name, value]) => secretsOf(name, value)),
    ...Object.values(generated),
  ]
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}

/** A URL is secret only if it has a password. */
function secretsOf(name: string, value = ''): string[] {
  const isSecret =
    /^OAUTH_.*_SECRET$/.test(name) || settings[name as keyof typeof settings]?.declared.isSecret === true;
  const urls = hostUrls(value.trim());
  if (!urls.every((url) => URL.canParse(url))) return isSecret ? [value] : [];
  return urls.flatMap((url) => {
    const { password } = new URL(url);
    return [value, url, password, decode(password)].filter((secret) => password !== '' && secret !== '');
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @returns FAILED (1) if any finding is a failure, else DONE (0) */
export async function runDoctor(asJson: boolean, { env, stdout }: Terminal): Promise<number> {
  const hide = await secretsRedactor(env, env.DATA_DIR ?? '');
  const findings = await examine(env);
  const isOk = findings.every(({ health }) => health !== 'failure');
  const text = asJson ? `${JSON.stringify({ ok: isOk, findings }, undefined, 2)}\n` : describe(findings);
  stdout.write(hide(text));
  return isOk ? DONE : FAILED;
}

async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = readSettings(env);
  if (!('config' in settings)) return [checkNode(), ...settings.violations];
  const { config } = settings;
  const checks: [about: string, check: (config: Config) => Promise<Finding | Finding[]>][] = [
    ['Data folder', checkDataDir],
    ['Database', checkDatabase],
    ['Images', checkStorage],
    ['AI provider', checkAi],
    ['Social login', checkLogins],
    ['Email', checkMail],
    ['Metrics', async (config) => checkMetrics(config)],
    ['Address', async (config) => checkAddress(config)],
    ['Port', checkPort],
  ];
  const findings = await Promise.all(
    checks.map(([about, check]) => check(config).catch((error) => unexpectedFailure(about, error))),
  );
  const misspelled = misspelledSettings(env).map((sentence) =>
    warning('Settings', sentence, 'Rename it (docs/configuration.md has all settings).'),
  );
  return [checkNode(), ok('Settings', 'All settings are valid.'), ...misspelled, ...findings.flat()];
}

function readSettings(env: NodeJS.ProcessEnv): { config: Config } | { violations: Finding[] } {
  try {
    return { config: loadConfig(env) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice =
      'Correct it in the environment (docs/configuration.md), and run this command again for the other checks.';
    return { violations: error.message.split('\n').map((sentence) => failure('Settings', sentence, advice)) };
  }
}

function unexpectedFailure(about: string, error: unknown): Finding {
  return failure(about, `The check failed: ${oneLine(error)}.`, 'Check whether other findings explain it.');
}

const MARKS: Record<Health, string> = { ok: '✓', note: '–', warning: '!', failure: '✗' };

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, health, message, advice }) => [
    `${MARKS[health]} ${about.padEnd(width)}  ${message}`,
    ...(advice ? [`  ${' '.repeat(width)}  → ${advice}`] : []),
  ]);
  return [...lines, '', `${conclusion(findings)}\n`].join('\n');
}

function conclusion(findings: readonly Finding[]): string {
  const count = (each: Health) => findings.filter(({ health }) => health === each).length;
  if (count('failure') > 0) return `Failures: ${count('failure')}. Warnings: ${count('warning')}.`;
  return count('warning') > 0 ? `No failures. Warnings: ${count('warning')}.` : 'All checks passed.';
}
