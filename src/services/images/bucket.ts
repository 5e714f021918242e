/** An S3 bucket as a flydrive disk. */
import { Disk } from 'flydrive';
import ms from 'ms';
import type { S3Config } from '../../platform/config/settings/storage.js';
import { lookupName } from '../../platform/name-lookup.js';
import { importOptional } from '../../platform/optional-package.js';

/** Does not connect yet. */
export async function openBucket(
  { bucket, endpoint, region, ...credentials }: S3Config,
  timeoutMs: number,
): Promise<Disk> {
  // Dynamic import: a service with a local folder does not load the AWS SDK at startup.
  const { S3Driver } = await importOptional('STORAGE=s3', () => import('flydrive/drivers/s3'));
  const driver = new S3Driver({
    bucket,
    region,
    credentials,
    // Most S3-compatible stores use path-style addresses and support neither ACLs nor trailing checksums.
    ...(endpoint && { endpoint, forcePathStyle: true }),
    supportsACL: false,
    visibility: 'private',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    // Of one attempt, until the header of the response: the store bounds all attempts together.
    requestHandler: {
      httpAgent: { lookup: lookupName },
      httpsAgent: { lookup: lookupName },
      connectionTimeout: 5_000,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // A client that reads an image slowly pauses the socket.
      socketTimeout: ms('1m'),
    },
  });
  return new Disk(driver);
}
