/** Settings of the data stores: PostgreSQL, and the storage of images. */
import { join, resolve } from 'node:path';
import { ConfigError, duration, group, oneOf, postgresUrl, secret, text, webUrl, wholeNumber } from '../setting.js';

const IMAGES = { area: 'Images', error: 'IMAGE_LIMIT_REACHED' } as const;
const UNAVAILABLE = { area: 'Database', error: 'SERVICE_UNAVAILABLE' } as const;

export const databaseSettings = group('Database', {
  DATABASE_URL: postgresUrl({
    default: '',
    effectiveDefault: 'the embedded PostgreSQL',
    description:
      'URL of a PostgreSQL server, version 14 or later. Tables are created and migrated at startup. A connection pooler must be in session mode. Of several hosts (`host1:5432,host2:5432`) the first one that accepts writes is used.',
    isSecret: true,
  }),
  DATABASE_POOL_SIZE: wholeNumber({
    range: [1, 1_000],
    default: '10',
    description:
      'Maximum number of connections of a process for requests. Jobs use up to five more, and open streams one more. The connections of all processes must fit into `max_connections` of PostgreSQL.',
  }),
  DATABASE_POOL_TIMEOUT: duration({
    default: '3s',
    description: 'Maximum time that a statement waits for a connection of the pool.',
    limit: UNAVAILABLE,
  }),
  DATABASE_POOL_WAITING: wholeNumber({
    range: [1, 1_000],
    default: '500',
    description:
      'Maximum number of statements that wait for a connection of the pool. Further statements fail immediately.',
    limit: UNAVAILABLE,
  }),
  DATABASE_STATEMENT_TIMEOUT: duration({
    default: '30s',
    description:
      'Maximum time that a statement runs before PostgreSQL cancels it. The connection is closed if the server has not responded two seconds later.',
    limit: UNAVAILABLE,
  }),
  DATABASE_TRANSACTION_TIMEOUT: duration({
    default: '60s',
    description:
      'Maximum time that a transaction of a request or a job is open. It is rolled back then, and its connection is closed. ' +
      'Commands such as `import` have no limit.',
    limit: UNAVAILABLE,
  }),
  DATABASE_LOCK_TIMEOUT: duration({
    default: '5s',
    description:
      'Maximum time that a statement waits for a lock (`lock_timeout` of PostgreSQL). Commands such as `import` have no limit.',
    limit: UNAVAILABLE,
  }),
});

export const imageSettings = group('Images', {
  STORAGE: oneOf({
    choices: ['local', 's3'],
    default: 'local',
    description: 'Storage of images: `DATA_DIR`, or an S3 bucket. Deployments on several machines require a bucket.',
  }),
  IMAGES_PER_MEMBER: wholeNumber({
    range: [1, 1_000_000],
    default: '1000',
    description: 'Number of images that a member can upload for the content of articles.',
    limit: IMAGES,
  }),
  IMAGE_MB_PER_MEMBER: wholeNumber({
    range: [1, 1_000_000],
    default: '2048',
    description:
      'Size in MiB of all images that a member uploads for the content of articles, as they are stored, in all widths.',
    limit: IMAGES,
  }),
  S3_BUCKET: text({
    default: '',
    effectiveDefault: 'none',
    expected: 'the name of a bucket',
    description: 'Name of an existing bucket. Required for `s3`.',
  }),
  S3_ENDPOINT: webUrl({
    default: '',
    effectiveDefault: 'the Amazon S3 endpoint of the region',
    expected: 'a URL such as https://s3.example.org',
    description: 'URL of another S3-compatible server.',
  }),
  S3_REGION: text({
    default: 'us-east-1',
    expected: 'a region such as eu-central-1',
    description: 'Region of the bucket.',
  }),
  S3_ACCESS_KEY_ID: text({
    default: '',
    effectiveDefault: 'none',
    expected: 'an access key ID',
    description: 'Access key ID. Required for `s3`.',
    isSecret: true,
  }),
  S3_SECRET_ACCESS_KEY: text({
    default: '',
    effectiveDefault: 'none',
    expected: 'a secret access key',
    description: 'Secret access key. Required for `s3`.',
    isSecret: true,
  }),
});

export const MIN_PASSPHRASE_LENGTH = 12;

export const backupSettings = group('Backups', {
  BACKUP_PASSPHRASE: secret({
    minLength: MIN_PASSPHRASE_LENGTH,
    default: '',
    effectiveDefault: 'none: secrets in backups are not encrypted',
    description:
      'Passphrase that encrypts the secrets in archives of `npx daybook backup`, and decrypts them for `restore`. The option `--passphrase-file` overrides it.',
    isSecret: true,
  }),
});

export interface S3Config {
  bucket: string;
  /** URL of an S3-compatible server other than Amazon S3. */
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export type ImageStoreConfig = { storage: 'local'; directory: string } | ({ storage: 's3' } & S3Config);

interface Environment {
  DATA_DIR: string;
  STORAGE: 'local' | 's3';
  S3_BUCKET: string;
  S3_ENDPOINT: string;
  S3_REGION: string;
  S3_ACCESS_KEY_ID: string;
  S3_SECRET_ACCESS_KEY: string;
}

/** @throws ConfigError if a setting that S3 requires is not set */
export function readImageStore(set: Environment): ImageStoreConfig {
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
