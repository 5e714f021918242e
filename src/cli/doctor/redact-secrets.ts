/** Redacts secrets in the output of `daybook doctor`, since messages of drivers and providers may contain them. */
import { hostUrls } from '../../platform/config/database-url.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { settings } from '../../platform/config/settings/index.js';

/** Minimum length in UTF-16 units: shorter secrets would also match parts of ordinary words. */
const MIN_LENGTH = 4;

/** @returns a function that replaces the secrets of the environment and of the data folder in a text with `•••` */
export async function secretsRedactor(env: NodeJS.ProcessEnv, dataDir: string): Promise<(text: string) => string> {
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
