/** Check of `daybook doctor`: writes, reads and deletes a file in the image store. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { diagnosePermission } from '../../platform/config/file-permission.js';
import type { Config } from '../../platform/config/index.js';
import { oneLine } from '../../platform/errors.js';
import { openImageStore } from '../../services/images/store.js';
import { rootCause } from '../subcommand.js';
import { type Finding, failure, note, ok } from './finding.js';

const IMAGES = 'Images';

/** Of each operation. */
const TIMEOUT_MS = 5_000;

export async function checkStorage({ imageStore }: Config): Promise<Finding> {
  const where = imageStore.storage === 'local' ? imageStore.directory : `the bucket ${imageStore.bucket}`;
  if (imageStore.storage === 'local') {
    const unready = await checkFolder(imageStore.directory);
    if (unready) return unready;
  }
  try {
    await probeStore(imageStore);
    return ok(IMAGES, `A test file was written to ${where}, read and deleted.`);
  } catch (error) {
    return failure(IMAGES, `${where} cannot be used: ${oneLine(rootCause(error))}.`, adviceOf(error));
  }
}

/** Does not create a missing folder: created by root, it would not be writable for the user that runs the service. */
async function checkFolder(directory: string): Promise<Finding | undefined> {
  const denial = await diagnosePermission(directory, 'write');
  if (denial)
    return failure(
      IMAGES,
      `Images cannot be stored: ${denial}.`,
      'Give the user of the service write access to the folder.',
    );
  const there = await stat(directory).catch(() => undefined);
  return there ? undefined : note(IMAGES, `${directory} is created with the first image.`);
}

async function probeStore(settings: Config['imageStore']): Promise<void> {
  const store = await openImageStore(settings, TIMEOUT_MS);
  const probe = Buffer.from('a probe of daybook doctor');
  const key = await store.save({ image: probe, sizes: [] });
  try {
    const image = await store.read(basename(store.url(key, '')));
    const chunks = image ? await (await image.open()).toArray() : [];
    if (!Buffer.concat(chunks).equals(probe)) throw new Error('the data read differs from the data written');
  } finally {
    await store.remove(key);
  }
}

/** Advice by S3 error name or system error code. */
const ADVICE: readonly [RegExp, string][] = [
  [/NoSuchBucket/, 'Create the bucket, or set another one in S3_BUCKET.'],
  [
    /AccessKey|Signature|AccessDenied|Forbidden|Credentials/,
    'Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and their permissions.',
  ],
  [/ECONN|ENOTFOUND|EAI_|Timeout|ETIMEDOUT/, 'Check S3_ENDPOINT and S3_REGION, and that the server is running.'],
  [/ENOSPC/, 'Free disk space.'],
  [/EACCES|EPERM|EROFS/, 'Give the user of the service write access to the folder.'],
];

function adviceOf(error: unknown): string {
  const { name, code } = rootCause(error) as { name?: string; code?: string };
  const entry = ADVICE.find(([pattern]) => pattern.test(`${name} ${code}`));
  return entry?.[1] ?? 'See STORAGE in docs/configuration.md.';
}
