/** The keys of all PostgreSQL advisory locks, in one file so that no two uses share a key. */

/** Single (bigint) keys. */
export const MIGRATION_LOCK = 4_270_001;
export const EMBEDDED_SERVER_LOCK = 4_270_002;
export const JOBS_MIGRATION_LOCK = 4_270_005;
/** Migrations contain it: it never changes. */
export const CHANGES_LOCK = 4_270_012;
export const SEED_LOCK = 4_270_020;

/** First of two (integer) keys; the second is a hash of the locked object. */
export const IMPORT_LOCKS = 4_270_003;
export const NICKNAME_LOCKS = 4_270_004;
export const WORKER_LOCKS = 4_270_006;
export const IDEMPOTENCY_LOCKS = 4_270_007;
/** Migrations contain it: it never changes. */
export const SLUG_LOCKS = 4_270_008;
/** As SLUG_LOCKS. */
export const BLOCK_LOCKS = 4_270_009;
/** As SLUG_LOCKS. */
export const SHARD_LOCKS = 4_270_010;
/** As SLUG_LOCKS. */
export const HELD_COMMENT_LOCKS = 4_270_011;
