/** The configured social login providers, by name. */
import type { Config } from '../../../platform/config/index.js';
import { AppError } from '../../../platform/errors.js';
import { createMessage } from '../../../platform/messages/message.js';
import type { Log } from '../../../platform/observability/log.js';
import type { Provider } from './provider.js';

export type Providers = ReadonlyMap<string, Provider>;

/** Loads the client if a provider is configured. Does not connect yet. A provider caches its discovery metadata. */
export async function openProviders(
  { oauthProviders, oauthTimeoutMs }: Pick<Config, 'oauthProviders' | 'oauthTimeoutMs'>,
  log: Log,
): Promise<Providers> {
  if (oauthProviders.length === 0) return new Map();
  const [{ naverProvider }, { oidcProvider }] = await Promise.all([import('./naver.js'), import('./oidc.js')]);
  const transport = { timeoutMs: oauthTimeoutMs };
  const providers = oauthProviders.map((settings) => {
    const open = settings.name === 'NAVER' ? naverProvider : oidcProvider;
    return [settings.name, open(settings, transport, log)] as const;
  });
  return new Map(providers);
}

/** @throws AppError PROVIDER_UNSUPPORTED, whose message lists the configured providers */
export function providerNamed(providers: Providers, name: string): Provider {
  const provider = providers.get(name);
  if (provider) return provider;
  const message =
    providers.size > 0 ? createMessage('providerUnsupported', [...providers.keys()]) : createMessage('noLoginProvider');
  throw new AppError('PROVIDER_UNSUPPORTED', { message });
}
