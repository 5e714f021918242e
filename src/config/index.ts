/** Everything that is set from outside: the only reader of the environment. Every setting has a default. */
import { join, resolve } from 'node:path';
import { cleanEnv } from 'envalid';
import type { ImageStoreConfig } from './image-store.js';
import { readAi } from './settings/ai-provider.js';
import { type Settings, settings } from './settings/index.js';
import { readProviders } from './settings/oauth.js';
import { readTracing } from './settings/otel.js';
import { ConfigError } from './values.js';

export { ConfigError };

export type Config = Readonly<ReturnType<typeof read>>;

/** @throws ConfigError that names every setting at fault. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return Object.freeze(read(env));
}

function read(env: NodeJS.ProcessEnv) {
  const set = clean(env);
  // Without a slash at the end.
  const publicUrl = (set.PUBLIC_URL || `http://localhost:${set.PORT}`).replace(/\/+$/, '');
  return {
    port: set.PORT,
    host: set.HOST,
    dataDir: resolve(set.DATA_DIR),
    /** Null: the embedded PostgreSQL in the data folder. */
    databaseUrl: set.DATABASE_URL || null,
    /** Null: limits are counted in PostgreSQL. */
    redisUrl: set.REDIS_URL || null,
    databasePoolSize: set.DATABASE_POOL_SIZE,
    /** For requests; in milliseconds. */
    databaseLimits: {
      lockTimeout: set.DATABASE_LOCK_TIMEOUT,
      acquireTimeout: set.DATABASE_POOL_TIMEOUT,
      maxWaiting: set.DATABASE_POOL_WAITING,
    },
    /** Null: the secret made on the first start and kept in the data folder. */
    jwtSecret: set.JWT_SECRET || null,
    /** Null: there is none. Tokens that were signed with it still count. */
    jwtSecretPrevious: set.JWT_SECRET_PREVIOUS || null,
    /** Milliseconds. */
    accessTokenTtl: set.ACCESS_TOKEN_TTL,
    /** Milliseconds. */
    refreshTokenTtl: set.REFRESH_TOKEN_TTL,
    /** Milliseconds in which a refresh token that was just used gives the same successor again. */
    refreshGrace: set.REFRESH_GRACE,
    /** Milliseconds after its login when a session ends, however often it is refreshed. */
    sessionMaxAge: set.SESSION_MAX_AGE,
    trustProxy: set.TRUST_PROXY,
    http: {
      headersTimeoutMs: set.HEADERS_TIMEOUT,
      bodyTimeoutMs: set.BODY_TIMEOUT,
      writeTimeoutMs: set.WRITE_TIMEOUT,
      bodyMemoryBytes: set.BODY_MEMORY,
      bodyMemoryPerNetworkBytes: set.BODY_MEMORY_PER_NETWORK,
      responseMemoryBytes: set.RESPONSE_MEMORY,
      maxConnections: set.MAX_CONNECTIONS,
      maxConnectionsPerNetwork: set.MAX_CONNECTIONS_PER_NETWORK,
    },
    oauthProviders: readProviders(env),
    /** The first one counts where a client names none. */
    oauthRedirectUris: redirectUris(set, publicUrl),
    /** Milliseconds for each request to a provider. */
    oauthTimeout: set.OAUTH_TIMEOUT,
    limits: {
      loginPair: set.LIMIT_LOGIN_PAIR,
      loginAddress: set.LIMIT_LOGIN_ADDRESS,
      loginAccount: set.LIMIT_LOGIN_ACCOUNT,
      refresh: set.LIMIT_REFRESH,
      register: set.LIMIT_REGISTER,
      writes: set.LIMIT_WRITES,
      writeBytes: set.LIMIT_WRITE_BYTES,
    },
    streams: {
      /** Of one member, in one process. */
      limit: set.STREAM_LIMIT,
      /** Milliseconds between two signs of life. */
      heartbeat: set.STREAM_HEARTBEAT,
      /** Milliseconds for which a client may leave what was sent to it unread. */
      patience: set.STREAM_PATIENCE,
    },
    /** What REST clients call the first page. */
    restPageBase: set.REST_PAGE_BASE,
    corsOrigins: set.CORS_ORIGINS,
    /** Without a slash at the end. */
    publicUrl,
    site: site(set, publicUrl),
    imageStore: imageStore(set),
    /** Null: no provider. */
    ai: readAi(set),
    /** What one member may ask of AI in a day of UTC. */
    aiDailyBudget: set.AI_DAILY_BUDGET,
    /** Milliseconds. */
    notificationRetention: set.NOTIFICATION_RETENTION,
    logLevel: set.LOG_LEVEL,
    /** Null: `/metrics` answers programs on this machine alone, and only where `publicUrl` is local. */
    metricsToken: set.METRICS_TOKEN || null,
    /** Null: nothing is traced. */
    tracing: readTracing(set),
    graphqlIntrospection: set.GRAPHQL_INTROSPECTION,
    graphqlLimits: {
      maxCharacters: set.GRAPHQL_MAX_CHARACTERS,
      maxTokens: set.GRAPHQL_MAX_TOKENS,
      maxDepth: set.GRAPHQL_MAX_DEPTH,
      maxAliases: set.GRAPHQL_MAX_ALIASES,
      maxCost: set.GRAPHQL_MAX_COST,
      maxResponseBytes: set.GRAPHQL_MAX_RESPONSE_MB * 1024 * 1024,
    },
  };
}

/** @throws ConfigError */
function clean(env: NodeJS.ProcessEnv): Settings {
  return cleanEnv(withoutEmpty(env), settings, { reporter: ({ errors }) => refuse(errors, env) });
}

function redirectUris({ OAUTH_REDIRECT_URIS: given }: Settings, publicUrl: string): readonly string[] {
  return given.length > 0 ? given : [`${publicUrl}/oauth/callback`];
}

/** Where people read what is written here, as feeds and the sitemap tell it. */
function site(set: Settings, publicUrl: string) {
  return {
    title: set.SITE_TITLE,
    url: set.SITE_URL || `${publicUrl}/`,
    articleUrl: set.ARTICLE_URL || `${publicUrl}/api/articles/{id}`,
  };
}

function imageStore(set: Settings): ImageStoreConfig {
  if (set.STORAGE === 'local') return { storage: 'local', directory: join(resolve(set.DATA_DIR), 'images') };
  for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
    if (!set[name]) throw new ConfigError(`${name} must be set, since STORAGE is s3.`);
  }
  return {
    storage: 's3',
    bucket: set.S3_BUCKET,
    ...(set.S3_ENDPOINT && { endpoint: set.S3_ENDPOINT }),
    region: set.S3_REGION,
    accessKeyId: set.S3_ACCESS_KEY_ID,
    secretAccessKey: set.S3_SECRET_ACCESS_KEY,
  };
}

/** An empty variable counts as one that is not set, as `docker compose` passes it. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function refuse(errors: object, env: NodeJS.ProcessEnv): void {
  const sentences = Object.keys(errors).map((name) => {
    const { declared } = settings[name as keyof Settings];
    // A secret must not end up in a terminal or a log because it was too short; an address may hold a password.
    const isHidden = declared.isSecret || name.endsWith('_URL');
    return `${name} must be ${declared.desc}, not ${isHidden ? 'something else' : JSON.stringify(env[name])}.`;
  });
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'));
}
