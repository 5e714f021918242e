/** Checks of `daybook doctor` for the external services: AI provider and login providers. */
import type { Config } from '../../platform/config/index.js';
import { oneLine } from '../../platform/errors.js';
import { createLog } from '../../platform/observability/log.js';
import { openModel } from '../../services/ai/openai.js';
import { naverProvider } from '../../services/auth/oauth/naver.js';
import { oidcProvider } from '../../services/auth/oauth/oidc.js';
import { rootCause } from '../subcommand.js';
import { type Finding, failure, note, ok } from './finding.js';

const silent = () => createLog('silent', { write: () => undefined });

const AI = 'AI provider';

const AI_TIMEOUT_MS = 20_000;

/** Sends one short prompt, without retries. */
export async function checkAi({ ai: settings }: Config): Promise<Finding> {
  const model = openModel(
    settings && { ...settings, maxRetries: 0, timeoutMs: Math.min(settings.timeoutMs, AI_TIMEOUT_MS) },
    silent(),
  );
  if (!model)
    return note(
      AI,
      'Not configured (AI_MODEL): summaries are extracted from the text, and writing styles are unavailable.',
    );
  const messages = [{ role: 'user', content: 'Answer with one word: yes.' }] as const;
  try {
    await model.complete({ operation: 'prompt', messages, maxOutputTokens: 500 });
    return ok(AI, `${model.name} responds.`);
  } catch (error) {
    const advice = 'Check AI_BASE_URL, AI_API_KEY and AI_MODEL, and your account at the provider.';
    return failure(AI, `The request to ${model.name} failed: ${oneLine(error)}.`, advice);
  }
}

const LOGIN = 'Social login';

export async function checkLogins(config: Config): Promise<Finding[]> {
  if (config.oauthProviders.length === 0) return [note(LOGIN, 'Not configured.')];
  return Promise.all(config.oauthProviders.map((settings) => checkLogin(settings, config)));
}

/** Checks that the provider is reachable. The client id and secret can be verified by a real login only. */
async function checkLogin(settings: Config['oauthProviders'][number], { oauthTimeoutMs: timeout }: Config) {
  const { name, issuer } = settings;
  const isNaver = name === 'NAVER';
  const provider = (isNaver ? naverProvider : oidcProvider)(settings, { timeoutMs: timeout }, silent());
  const anything = { redirectUri: 'https://example.org/', state: 'x', nonce: 'x', codeChallenge: 'x' };
  try {
    // NAVER has no OpenID discovery document: any HTTP response shows that it is reachable.
    if (isNaver) await fetch(issuer, { method: 'HEAD', signal: AbortSignal.timeout(timeout) });
    await provider.authorizationUrl(anything);
    return ok(LOGIN, `${name} responds (${issuer}).`);
  } catch (error) {
    const reason = oneLine(rootCause(error));
    const advice = `Check OAUTH_${name}_ISSUER, and that this machine can reach it.`;
    return failure(LOGIN, `The request to ${name} (${issuer}) failed: ${reason}.`, advice);
  }
}
