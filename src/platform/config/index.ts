/** Configuration of the service, the only module that reads environment variables. Every setting has a default. */
import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { cleanEnv } from 'envalid';
import { ConfigError } from './setting.js';
import { readRequireVerifiedEmail, readTokenLifetimes } from './settings/account.js';
import { readAi } from './settings/ai.js';
import { type Settings, settings } from './settings/index.js';
import { readMail } from './settings/mail.js';
import { readProviders } from './settings/oauth.js';
import { readTracing } from './settings/observability.js';
import { readRelyingParty } from './settings/passkeys.js';
import { MAX_AUTO_WORKERS } from './settings/server.js';
import { readImageStore } from './settings/storage.js';

export { ConfigError };

export type Config = Readonly<ReturnType<typeof read>>;

/** @throws ConfigError that names every invalid setting */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return Object.freeze(read(env));
}

function read(env: NodeJS.ProcessEnv) {
  const set = clean(env);
  // Without a slash at the end.
  const publicUrl = (set.PUBLIC_URL || `http://localhost:${set.PORT}`).replace(/\/+$/, '');
  const workers = workerCount(set.WORKERS);
  return {
    port: set.PORT,
    host: set.HOST,
    /** Number of worker processes; null: this process is the server. */
    workers,
    dataDir: resolve(set.DATA_DIR),
    /** 0: without Strict-Transport-Security. */
    hstsMaxAgeMs: set.HSTS_MAX_AGE,
    shutdownDelayMs: set.SHUTDOWN_DELAY,
    /** Null: the embedded PostgreSQL in the data folder. */
    databaseUrl: set.DATABASE_URL || null,
    databasePoolSize: set.DATABASE_POOL_SIZE,
    databaseStatementTimeoutMs: set.DATABASE_STATEMENT_TIMEOUT,
    /** For requests; subcommands have no limits. */
    databaseLimits: {
      lockTimeoutMs: set.DATABASE_LOCK_TIMEOUT,
      transactionTimeoutMs: set.DATABASE_TRANSACTION_TIMEOUT,
      acquireTimeoutMs: set.DATABASE_POOL_TIMEOUT,
      maxWaiting: set.DATABASE_POOL_WAITING,
    },
    /** Null: the secret generated on the first start and stored in the data folder. */
    jwtSecret: set.JWT_SECRET || null,
    /** Tokens signed with this secret are still accepted. Null: no previous secret. */
    jwtSecretPrevious: set.JWT_SECRET_PREVIOUS || null,
    ...readTokenLifetimes(set),
    /** Time after its use in which a refresh token returns the same successor again. */
    refreshGraceMs: set.REFRESH_GRACE,
    /** Maximum age of a session since its login, regardless of refreshes. */
    sessionMaxAgeMs: set.SESSION_MAX_AGE,
    registration: set.REGISTRATION,
    requireVerifiedEmail: readRequireVerifiedEmail(set.REQUIRE_VERIFIED_EMAIL, set.SMTP_URL),
    /** Null: no email is sent. */
    mail: readMail(set),
    /** Frontend page for links in emails, without a slash at the end. */
    accountUrl: (set.ACCOUNT_URL || `${publicUrl}/account`).replace(/\/+$/, ''),
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
    /** The first one is the default where a client sends none. */
    oauthRedirectUris: redirectUris(set, publicUrl),
    oauthTimeoutMs: set.OAUTH_TIMEOUT,
    /** Of passkeys. */
    relyingParty: readRelyingParty(set, publicUrl),
    limits: {
      loginPair: set.LIMIT_LOGIN_PAIR,
      loginNetwork: set.LIMIT_LOGIN_ADDRESS,
      loginAccount: set.LIMIT_LOGIN_ACCOUNT,
      refresh: set.LIMIT_REFRESH,
      register: set.LIMIT_REGISTER,
      recovery: set.LIMIT_RECOVERY,
      apiTokens: set.LIMIT_API_TOKENS,
      sharedTexts: set.LIMIT_SHARED_TEXTS,
      passkeyOptions: set.LIMIT_PASSKEY_OPTIONS,
      writes: set.LIMIT_WRITES,
      writeBytes: set.LIMIT_WRITE_BYTES,
      draftWrites: set.LIMIT_DRAFT_WRITES,
      draftBytes: set.LIMIT_DRAFT_BYTES,
    },
    streams: {
      /** Maximum number of streams of one member in each process. */
      maxPerMember: set.STREAM_LIMIT,
      heartbeatMs: set.STREAM_HEARTBEAT,
      /** A client that reads nothing for longer is disconnected. */
      writeTimeoutMs: set.STREAM_WRITE_TIMEOUT,
    },
    /** The number of the first page in REST requests: 0 or 1. */
    restPageBase: set.REST_PAGE_BASE,
    corsOrigins: set.CORS_ORIGINS,
    /** Without a slash at the end. */
    publicUrl,
    site: site(set, publicUrl),
    /** Whether there are `/llms.txt` and `/articles/{slug}.md`. */
    llmsTxt: set.LLMS_TXT,
    mcp: set.MCP,
    /** Page of the frontend for share links. Null: they lead to the REST API. */
    shareUrl: set.SHARE_URL || null,
    imageStore: readImageStore(set),
    /** Null: secrets in backups are not encrypted. */
    backupPassphrase: set.BACKUP_PASSPHRASE || null,
    /** Of the images that one member uploads. */
    imageLimits: { maxImages: set.IMAGES_PER_MEMBER, maxBytes: set.IMAGE_MB_PER_MEMBER * 1024 * 1024 },
    /** Null: no provider. */
    ai: readAi(set),
    /** Maximum number of requests of one member to the AI provider per day (UTC). */
    aiRequestsPerDay: set.AI_DAILY_BUDGET,
    /** Of each article: the newest ones, whatever their age. */
    revisionsKept: set.REVISIONS_KEPT,
    /** Comments that wait for approval. */
    comments: { approval: set.COMMENT_APPROVAL, maxLinks: set.COMMENT_MAX_LINKS, spamThreshold: set.SPAM_THRESHOLD },
    notificationRetentionMs: set.NOTIFICATION_RETENTION,
    /** Of removals in the feed of changes. */
    changesRetentionMs: set.CHANGES_RETENTION,
    webhooks: { allowedHosts: set.WEBHOOK_ALLOWED_HOSTS, batchMs: set.WEBHOOK_BATCH_SECONDS * 1000 },
    logLevel: set.LOG_LEVEL,
    /** Null: `/metrics` responds to loopback clients only, and only where `publicUrl` is local. */
    metricsToken: set.METRICS_TOKEN || null,
    /** Null: tracing is off. */
    tracing: readTracing(set),
    graphqlIntrospection: set.GRAPHQL_INTROSPECTION,
    /** Whether the pages of the service may load scripts of Apollo, and its website may call the service. */
    apolloSandbox: readApolloSandbox(set, publicUrl),
    responseCache: {
      maxBytes: responseCacheBytes(set.RESPONSE_CACHE_MB, availableMemory() / (workers ?? 1)),
      staleIfErrorMs: set.RESPONSE_CACHE_STALE_IF_ERROR,
    },
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
  return cleanEnv(withoutEmpty(env), settings, { reporter: ({ errors }) => reportInvalid(errors, env) });
}

function workerCount(given: number | 'auto'): number | null {
  if (given === 'auto') return Math.min(availableParallelism(), MAX_AUTO_WORKERS);
  return given === 1 ? null : given;
}

const MIB = 1024 * 1024;

/** @param memory available to the process, in bytes */
export function responseCacheBytes(megabytes: number | 'auto', memory: number): number {
  return megabytes === 'auto' ? Math.min(Math.max(memory / 32, 32 * MIB), 512 * MIB) : megabytes * MIB;
}

/** Memory of the machine in bytes, or of the container (cgroup) where that is less. */
function availableMemory(): number {
  // 0 where the operating system does not say it.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

function readApolloSandbox({ APOLLO_SANDBOX: given, GRAPHQL_INTROSPECTION }: Settings, publicUrl: string): boolean {
  return GRAPHQL_INTROSPECTION && (given === 'auto' ? !publicUrl.startsWith('https:') : given === 'true');
}

function redirectUris({ OAUTH_REDIRECT_URIS: given }: Settings, publicUrl: string): readonly string[] {
  return given.length > 0 ? given : [`${publicUrl}/oauth/callback`];
}

/** Title and URLs of the website that shows the articles, for feeds and the sitemap. */
function site(set: Settings, publicUrl: string) {
  return {
    title: set.SITE_TITLE,
    url: set.SITE_URL || `${publicUrl}/`,
    /** Whether `url` leads to a website for readers. */
    hasFrontPage: set.SITE_URL !== '',
    articleUrl: set.ARTICLE_URL || `${publicUrl}/api/articles/{id}`,
    /** Whether `articleUrl` leads to pages for readers. */
    hasArticlePages: set.ARTICLE_URL !== '',
    /** Null: members have no pages. */
    memberUrl: set.MEMBER_URL || null,
  };
}

/** Treats empty variables as not set: `docker compose` passes unset variables as empty ones. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

/** @throws ConfigError that names each invalid setting, its expected form and, unless it can contain a secret, its value */
function reportInvalid(errors: object, env: NodeJS.ProcessEnv): void {
  const sentences = Object.keys(errors).map((name) => {
    const { declared } = settings[name as keyof Settings];
    // A secret that is too short must not appear in a terminal or a log.
    const shown = declared.isSecret
      ? 'the given value (hidden)'
      : JSON.stringify(withoutCredentials(name, env[name] ?? ''));
    return `${name} must be ${declared.expected}, not ${shown}.`;
  });
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'));
}

/** A URL may contain a user name and a password. */
function withoutCredentials(name: string, value: string): string {
  return /_(?:URLS?|URIS|ENDPOINT)$/.test(name) ? value.replace(/^([a-z]+:\/\/)?.*@/is, '$1***@') : value;
}
