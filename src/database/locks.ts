/** The keys of PostgreSQL's advisory locks, in one place so that no two meanings share one. */

/** Single keys. */
export const MIGRATION_LOCK = 4_270_001;
export const EMBEDDED_SERVER_LOCK = 4_270_002;
export const JOBS_MIGRATION_LOCK = 4_270_005;
export const SEED_LOCK = 4_270_020;

/** First of two keys; the second is a hash of what is locked. */
export const IMPORT_LOCKS = 4_270_003;
export const NICKNAME_LOCKS = 4_270_004;
export const WORKER_LOCKS = 4_270_006;
