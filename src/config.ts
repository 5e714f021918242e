/** Everything that is set from outside: the only reader of the environment. Every setting has a default. */
import { join, resolve } from 'node:path';
import { type CleanedEnv, cleanEnv, str, type ValidatorSpec } from 'envalid';
import ms from 'ms';
import { readAi } from './ai/settings.js';
import { readProviders } from './auth/oauth/settings.js';
import { trustedProxies } from './client-address.js';
import {
  apiKey,
  ConfigError,
  duration,
  flag,
  limit,
  noneOrDuration,
  origins,
  pageBase,
  positive,
  postgresUrl,
  redirectUris,
  redisUrl,
  retries,
  secret,
  text,
  timeoutMs,
  webUrl,
  wholeNumber,
} from './config-values.js';
import type { ImageStoreConfig } from './storage/store.js';

export { ConfigError };

export type Config = Readonly<ReturnType<typeof read>>;

/** @throws ConfigError that names every setting at fault. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return Object.freeze(read(env));
}

function read(env: NodeJS.ProcessEnv) {
  const set = clean(env);
  const publicUrl = set.PUBLIC_URL || `http://localhost:${set.PORT}`;
  return {
    port: set.PORT,
    host: set.HOST,
    dataDir: resolve(set.DATA_DIR),
    /** Null: the embedded PostgreSQL in the data folder. */
    databaseUrl: set.DATABASE_URL || null,
    /** Null: limits are counted in PostgreSQL. */
    redisUrl: set.REDIS_URL || null,
    databasePoolSize: set.DATABASE_POOL_SIZE,
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
    oauthProviders: readProviders(env),
    /** The first one counts where a client names none. */
    oauthRedirectUris: set.OAUTH_REDIRECT_URIS ?? [`${publicUrl.replace(/\/+$/, '')}/oauth/callback`],
    /** Milliseconds for each request to a provider. */
    oauthTimeout: set.OAUTH_TIMEOUT,
    limits: {
      loginPair: set.LIMIT_LOGIN_PAIR,
      loginAddress: set.LIMIT_LOGIN_ADDRESS,
      loginAccount: set.LIMIT_LOGIN_ACCOUNT,
      refresh: set.LIMIT_REFRESH,
      writes: set.LIMIT_WRITES,
    },
    /** What REST clients call the first page. */
    restPageBase: set.REST_PAGE_BASE,
    corsOrigins: set.CORS_ORIGINS,
    /** Without a slash at the end. */
    publicUrl: publicUrl.replace(/\/+$/, ''),
    imageStore: imageStore(set),
    /** Null: no provider. */
    ai: readAi(set),
    logLevel: set.LOG_LEVEL,
    /** Null: `/metrics` answers programs on this machine alone. */
    metricsToken: set.METRICS_TOKEN || null,
    graphqlIntrospection: set.GRAPHQL_INTROSPECTION,
  };
}

const LIMIT = 'a number and a duration such as 10/15m';

function clean(env: NodeJS.ProcessEnv) {
  const specs = {
    PORT: wholeNumber({ default: 4000, desc: 'a port from 0 (any free one) to 65535' }),
    HOST: text({ default: '0.0.0.0', desc: 'the address to listen on' }),
    DATA_DIR: text({ default: '.daybook', desc: 'a folder' }),
    REDIS_URL: redisUrl({ default: '', desc: 'an address such as redis://host:6379' }),
    DATABASE_URL: postgresUrl({ default: '', desc: 'an address such as postgres://user:password@host:5432/name' }),
    DATABASE_POOL_SIZE: positive({ default: 10, desc: 'a whole number from 1' }),
    JWT_SECRET: secret({ default: '', desc: 'at least 32 characters' }),
    ACCESS_TOKEN_TTL: duration({ default: ms('30m'), desc: 'a duration such as 30m' }),
    REFRESH_TOKEN_TTL: duration({ default: ms('14d'), desc: 'a duration such as 14d' }),
    JWT_SECRET_PREVIOUS: secret({ default: '', desc: 'at least 32 characters' }),
    REFRESH_GRACE: noneOrDuration({ default: ms('10s'), desc: 'a duration such as 10s, or 0' }),
    SESSION_MAX_AGE: duration({ default: ms('90d'), desc: 'a duration such as 90d' }),
    TRUST_PROXY: trustedProxies({
      default: { hops: 0 },
      desc: 'the number of proxies in front, or their addresses such as 10.0.0.0/8, separated by commas',
    }),
    OAUTH_REDIRECT_URIS: redirectUris({
      default: undefined,
      desc: 'addresses without a fragment, separated by commas',
    }),
    OAUTH_TIMEOUT: duration({ default: ms('5s'), desc: 'a duration such as 5s' }),
    LIMIT_LOGIN_PAIR: limit({ default: { points: 10, duration: ms('15m') }, desc: LIMIT }),
    LIMIT_LOGIN_ADDRESS: limit({ default: { points: 500, duration: ms('15m') }, desc: LIMIT }),
    LIMIT_LOGIN_ACCOUNT: limit({ default: { points: 100, duration: ms('1h') }, desc: LIMIT }),
    LIMIT_REFRESH: limit({ default: { points: 100, duration: ms('15m') }, desc: LIMIT }),
    LIMIT_WRITES: limit({ default: { points: 6_000, duration: ms('10m') }, desc: LIMIT }),
    REST_PAGE_BASE: pageBase({ default: 1, desc: '0 or 1' }),
    CORS_ORIGINS: origins({ default: [], desc: 'origins such as https://example.org, separated by commas' }),
    PUBLIC_URL: webUrl({ default: '', desc: 'an address such as https://journal.example.org' }),
    LOG_LEVEL: str({
      default: 'info',
      choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      desc: 'one of fatal, error, warn, info, debug, trace, silent',
    }),
    METRICS_TOKEN: secret({ default: '', desc: 'at least 32 characters' }),
    STORAGE: str({ default: 'local', choices: ['local', 's3'], desc: 'local or s3' }),
    S3_BUCKET: text({ default: '', desc: 'the name of a bucket' }),
    S3_ENDPOINT: webUrl({ default: '', desc: 'an address such as https://s3.example.org' }),
    S3_REGION: text({ default: 'us-east-1', desc: 'a region such as eu-central-1' }),
    S3_ACCESS_KEY_ID: text({ default: '', desc: 'an access key id' }),
    S3_SECRET_ACCESS_KEY: text({ default: '', desc: 'a secret access key' }),
    AI_BASE_URL: webUrl({ default: '', desc: 'an address such as https://api.openai.com/v1' }),
    AI_API_KEY: apiKey({ default: '', desc: 'printable ASCII characters without spaces' }),
    AI_MODEL: text({ default: '', desc: 'the name of a model' }),
    AI_TIMEOUT_MS: timeoutMs({ default: 60_000, desc: 'a whole number from 1000 to 600000' }),
    AI_MAX_RETRIES: retries({ default: 2, desc: 'a whole number from 0 to 10' }),
    GRAPHQL_INTROSPECTION: flag({ default: true, desc: 'true or false' }),
  };
  return cleanEnv(withoutEmpty(env), specs, { reporter: (report) => refuse(report.errors, specs, env) }) as CleanedEnv<
    typeof specs
  >;
}

type Settings = ReturnType<typeof clean>;

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

function refuse(errors: object, specs: Record<string, ValidatorSpec<unknown>>, env: NodeJS.ProcessEnv): void {
  const sentences = Object.keys(errors).map((name) => {
    // A secret must not end up in a terminal or a log because it was too short.
    const came = /SECRET|PASSWORD|KEY|URL|TOKEN$/.test(name) ? 'something else' : JSON.stringify(env[name]);
    return `${name} must be ${specs[name]?.desc}, not ${came}.`;
  });
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'));
}
