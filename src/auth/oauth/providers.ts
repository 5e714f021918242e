/** The configured social login providers, by name. */
import { AppError } from '../../errors.js';
import { createMessage } from '../../messages/message.js';
import type { Services } from '../../services.js';
import { naverProvider } from './naver.js';
import { oidcProvider } from './oidc.js';
import type { Provider } from './provider.js';

const known = new WeakMap<object, Map<string, Provider>>();

/** @throws AppError PROVIDER_UNSUPPORTED, whose message lists the configured providers */
export function providerNamed(services: Services, name: string): Provider {
  const providers = providersOf(services);
  const provider = providers.get(name);
  if (provider) return provider;
  const message =
    providers.size > 0 ? createMessage('providerUnsupported', [...providers.keys()]) : createMessage('noLoginProvider');
  throw new AppError('PROVIDER_UNSUPPORTED', { message });
}

/** Built once for each configuration, so that the discovery metadata stays cached. */
function providersOf({ config, log }: Services): Map<string, Provider> {
  const found = known.get(config);
  if (found) return found;
  const transport = { timeout: config.oauthTimeoutMs };
  const built = config.oauthProviders.map((settings) => {
    const build = settings.name === 'NAVER' ? naverProvider : oidcProvider;
    return [settings.name, build(settings, transport, log)] as const;
  });
  const providers = new Map(built);
  known.set(config, providers);
  return providers;
}
