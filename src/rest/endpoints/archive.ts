/** The archive of the authenticated member's data. Only over REST: a GraphQL response cannot contain a file. */
import type { Readable } from 'node:stream';
import type { Context } from '../../context.js';
import { memberArchive } from '../../export/member-archive.js';
import { withoutSnapshot } from '../../export/snapshot.js';
import type { RunStatement } from '../../platform/database/statement.js';
import { recordEvent } from '../../services/auth/audit.js';
import { requireRecentLogin } from '../../services/auth/login.js';
import { viewerOf } from '../../services/auth/policy.js';
import { networkTask } from '../../services/limits/client-task.js';
import { assertNotRateLimited } from '../../services/limits/rate-limiter.js';
import type { Endpoint } from '../engine/endpoint.js';

const downloadArchive: Endpoint = {
  method: 'GET',
  path: '/members/me/archive',
  summary: 'Download all of your data as a ZIP archive',
  description:
    'Requires a login within the last 10 minutes; a token refresh does not count. The archive contains JSON files, ' +
    'Markdown files and images, and a README.txt that describes them. Once an hour: above the limit, the status is 429 with `Retry-After`.',
  message: 'archiveSent',
  operation: '{ archive: me { id } }',
  download: {
    mediaType: 'application/zip',
    fileName: 'daybook-archive.zip',
    authorize: (context) => requireRecentLogin(context, viewerOf(context)),
    open: openArchive,
  },
  errors: ['PROOF_REQUIRED'],
};

/** Counts a download that was started, also if it is not completed, but not one that has failed before its first byte. */
async function openArchive(context: Context): Promise<Readable> {
  const { database, images, limits } = context;
  const { memberId } = viewerOf(context);
  const release = await limits.runningArchives.acquire(networkTask(context));
  try {
    assertNotRateLimited(await limits.archives.count(database, String(memberId)), 'archive downloads');
    const { read } = withoutSnapshot(database);
    const inTurn: RunStatement = async (statement, values) => {
      // An archive that was begun is not ended where the wait is too long.
      await limits.operations.waitForTurn(context).catch(() => {});
      const rows = await read(statement, values);
      limits.operations.countResult(context, rows);
      return rows;
    };
    const zip = await openCounted(context, () => memberArchive({ read: inTurn }, images, { id: memberId }, new Date()));
    return zip.once('close', release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openCounted(context: Context, open: () => ReturnType<typeof memberArchive>): Promise<Readable> {
  const { memberId } = viewerOf(context);
  try {
    await recordEvent(context.database, context, { kind: 'ARCHIVE_DOWNLOADED', memberId });
    return (await open()).zip;
  } catch (error) {
    await context.limits.archives.refund(context.database, String(memberId));
    throw error;
  }
}

export const archiveEndpoints = [downloadArchive];
