/** What one process holds: created once, by the server or by a test, and passed to the functions that use it. */
import { StampReader } from '../models/stamp-reader.js';
import type { Config } from '../platform/config/index.js';
import type { Database } from '../platform/database/pool.js';
import { ResponseCache } from '../platform/http/response-cache.js';
import { createLog, type Log } from '../platform/observability/log.js';
import { ExtractiveSummarizer } from './ai/extractive/summarizer.js';
import type { TextModel } from './ai/provider.js';
import { SpamModel } from './approval/check.js';
import { ApiTokenUses } from './auth/api-token.js';
import { openProviders, type Providers } from './auth/oauth/providers.js';
import { PasswordHasher } from './auth/password.js';
import { IdempotencyKeys } from './idempotency/keys.js';
import { type ImageStore, openImageStore } from './images/store.js';
import { type Limits, openLimits } from './limits/limits.js';
import { NotificationHub } from './live/hub.js';
import { type Mailer, openMailer } from './mail/transport.js';
import { Renderer } from './rendering/renderer.js';
import { ViewCounter } from './views/counter.js';

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly images: ImageStore;
  /** Null if no provider is configured. */
  readonly ai: TextModel | null;
  readonly extractor: ExtractiveSummarizer;
  readonly renderer: Renderer;
  /** Null if no SMTP server is configured. */
  readonly mailer: Mailer | null;
  /** Key for signing tokens. */
  readonly jwtSecret: string;
  readonly passwordHasher: PasswordHasher;
  readonly limits: Limits;
  readonly hub: NotificationHub;
  readonly oauthProviders: Providers;
  readonly apiTokenUses: ApiTokenUses;
  readonly spamModel: SpamModel;
  readonly stampReader: StampReader;
  readonly responseCache: ResponseCache;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly views: ViewCounter;
  /** Aborted when the process is about to stop: it is no longer ready, but still serves requests. */
  readonly stopping: AbortSignal;
}

export interface OpenServices extends Services {
  /** Aborts `stopping`. */
  announceStop(): void;
  /** Writes what waits in memory; closes streams, threads and connections, except those of the database, which the caller has opened. */
  close(): Promise<void>;
}

/** A test may replace the log, the AI provider, the mailer, the password hasher and the renderer. */
type Given = Pick<Services, 'config' | 'database' | 'jwtSecret'> &
  Partial<Pick<Services, 'log' | 'ai' | 'mailer' | 'passwordHasher' | 'renderer'>>;

export async function openServices({
  config,
  database,
  jwtSecret,
  log = createLog(config.logLevel),
  ai,
  mailer,
  passwordHasher = new PasswordHasher(),
  renderer = new Renderer(),
}: Given): Promise<OpenServices> {
  const model = ai === undefined ? await openConfiguredModel(config, log) : ai;
  const mailing = mailer === undefined && config.mail ? await openMailer(config.mail) : (mailer ?? null);
  const images = await openImageStore(config.imageStore);
  const limits = openLimits(config, database);
  const hub = new NotificationHub(database, config.streams, log);
  const oauthProviders = await openProviders(config, log);
  const extractor = new ExtractiveSummarizer();
  const apiTokenUses = new ApiTokenUses(database);
  const stopping = new AbortController();
  const announceStop = () => stopping.abort();
  const views = new ViewCounter(database, log);
  await views.open();
  const close = async () => {
    hub.stop();
    await views.stop();
    limits.close();
    await Promise.all([extractor.stop(), renderer.stop()]);
  };
  const spamModel = new SpamModel(database, log);
  await spamModel.load();
  const stampReader = new StampReader(database);
  const responseCache = new ResponseCache(config.responseCache);
  const idempotencyKeys = new IdempotencyKeys(jwtSecret);
  return {
    ...{ config, database, log, images, ai: model, mailer: mailing, jwtSecret, limits, hub, oauthProviders },
    ...{
      extractor,
      renderer,
      apiTokenUses,
      spamModel,
      stampReader,
      responseCache,
      idempotencyKeys,
      views,
      passwordHasher,
      stopping: stopping.signal,
      announceStop,
      close,
    },
  };
}

/** Loads the client only if a provider is configured. */
async function openConfiguredModel({ ai }: Config, log: Log): Promise<TextModel | null> {
  if (!ai) return null;
  const { openModel } = await import('./ai/openai.js');
  return openModel(ai, log);
}
