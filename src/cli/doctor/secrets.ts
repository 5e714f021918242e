/** Keeps secrets out of what the doctor says, whatever a driver or a provider puts into its messages. */

import { settings } from '../../config/settings/index.js';
import { readSecrets } from '../../database/embedded/secrets.js';

/** Shorter ones would be found in words that say nothing. */
const SHORTEST = 4;

/** @returns takes a text and gives it without any secret of the environment or of the data folder */
export async function secretsHider(env: NodeJS.ProcessEnv, dataDir: string): Promise<(text: string) => string> {
  const made = await readSecrets(dataDir).catch(() => ({}));
  const secrets = [...Object.entries(env).flatMap(([name, value]) => secretsOf(name, value)), ...Object.values(made)]
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}

/** Addresses are secret for the sake of their password alone. */
function secretsOf(name: string, value = ''): string[] {
  const isSecret =
    /^OAUTH_.*_SECRET$/.test(name) || settings[name as keyof typeof settings]?.declared.isSecret === true;
  if (!URL.canParse(value)) return isSecret ? [value] : [];
  const { password } = new URL(value);
  return [value, password, decode(password)].filter((secret) => password !== '' && secret !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
