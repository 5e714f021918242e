/** Image stores that fail: requests get 503 with Retry-After, and the log names the store. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ImageStore, openImageStore } from '../../../src/services/images/store.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { flat } from '../../support/images.js';
import { runJobs, waitingJobs } from '../../support/jobs.js';
import { readableLog } from '../../support/log.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { closeServer, listen } from '../../support/server.js';

const KEY = 'ab'.repeat(16);

let respond: RequestListener = () => {};
// Started here, because the application is configured while `describe` runs.
const bucket = createServer((request, response) => respond(request, response));
const endpoint = `http://127.0.0.1:${await listen(bucket)}`;

/** A response with the error code of S3. */
function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

/** The methods of a store, to replace those of another one. */
function methodsOf(store: ImageStore): Pick<ImageStore, 'save' | 'read' | 'remove'> {
  return {
    save: (...image) => store.save(...image),
    read: (name) => store.read(name),
    remove: (key) => store.remove(key),
  };
}

/** Of the bucket, with the reason that the log has for uploads. */
const FAILURES: Record<string, readonly [RequestListener, RegExp]> = {
  'responds with 500': [(_, response) => refuse(response, 500, 'InternalError'), /InternalError, status 500/],
  'responds with 503': [(_, response) => refuse(response, 503, 'SlowDown'), /SlowDown, status 503/],
  'responds with 403': [(_, response) => refuse(response, 403, 'AccessDenied'), /AccessDenied, status 403/],
  'has been deleted': [(_, response) => refuse(response, 404, 'NoSuchBucket'), /NoSuchBucket, status 404/],
  'closes connections': [(request) => request.socket.destroy(), /ECONNRESET|TimeoutError|EPIPE/],
  'does not respond': [() => {}, /ETIMEDOUT|TimeoutError/],
  'reads the file and does not respond': [(request) => request.resume(), /ETIMEDOUT|TimeoutError/],
  'sends only the header of an image': [
    (request, response) => {
      request.resume();
      if (request.method === 'PUT' || request.method === 'DELETE') return;
      response.writeHead(200, { 'Content-Length': '9', 'Last-Modified': new Date(0).toUTCString() }).flushHeaders();
      if (request.method === 'HEAD') response.end();
    },
    /ETIMEDOUT|TimeoutError/,
  ],
};

describe('An image store that fails', function () {
  this.timeout(120_000);
  let image: Buffer;
  let author: BuiltMember;
  const { log, lines } = readableLog();
  const app = useApp(
    {
      STORAGE: 's3',
      S3_BUCKET: 'journal',
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    },
    { log },
  );
  after(() => {
    bucket.closeAllConnections();
    return closeServer(bucket);
  });
  before(async () => {
    image = await flat(400, 9).png().toBuffer();
    author = await buildMember(app.url);
  });

  const requests: Record<string, () => ReturnType<typeof call>> = {
    'POST /api/articles': () => {
      const json = { title: 't', content: 'c', category: 'uncategorized' };
      return call(app.url, 'POST /api/articles', {
        token: author.token,
        ...multipart([requestPart(json), filePart(image)]),
      });
    },
    'PUT /api/articles/{articleId}': async () => {
      const { id } = await buildArticle(app.url, {}, author);
      const parts = [requestPart({ title: 't', content: 'c' }), filePart(image)];
      return call(app.url, `PUT /api/articles/${id}`, { token: author.token, ...multipart(parts) });
    },
    'PATCH /api/members/me': () =>
      call(app.url, 'PATCH /api/members/me', {
        token: author.token,
        ...multipart([requestPart({ nickname: author.nickname }), filePart(image)]),
      }),
    'POST /api/images': () =>
      call(app.url, 'POST /api/images', { token: author.token, ...multipart([filePart(image)]) }),
    'GET /images/{name}': () => call(app.url, `GET /images/${KEY}.webp`),
  };

  for (const [what, [listener, reason]] of Object.entries(FAILURES)) {
    describe(`because the bucket ${what}`, () => {
      before(async () => {
        respond = listener;
        // In place of ten seconds, which a busy machine exceeds with a bucket that responds.
        const timeoutMs = String(reason).includes('ETIMEDOUT') ? 1_000 : 120_000;
        Object.assign(app.services.images, methodsOf(await openImageStore(app.services.config.imageStore, timeoutMs)));
      });
      it('is 503 for every request', () =>
        expectFailures(Object.keys(requests), reason, 'the image store (bucket journal)'));

      it('is retried for a removal, and does not lose the job', async () => {
        await app.database.sequelize.query('delete from graphile_worker._private_jobs');
        await app.database.sequelize.query(
          `select graphile_worker.add_job('remove-unused-image', '{"key": "${KEY}"}', queue_name => 'image-removals-0')`,
        );
        await runJobs(app);
        const [job] = await waitingJobs(app);
        // The response to the removal of an object from a bucket that does not exist is an error too.
        expect(job).to.include({ task: 'remove-unused-image', attempts: 1 });
        expect(job?.lastError).to.match(/^the image store \(bucket journal\) failed: /);
      });
    });
  }

  /** Sends all at the same time: each waits for the store. @param reason of the uploads */
  async function expectFailures(sent: readonly string[], reason: RegExp, service: string): Promise<void> {
    lines.length = 0;
    const responses = await Promise.all(sent.map((request) => requests[request]?.()));
    for (const [index, response] of responses.entries()) {
      expect([response?.status, response?.body?.code], sent[index]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(response?.headers.get('retry-after')), sent[index]).to.be.greaterThan(0);
    }
    const failures = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'a service failed');
    expect(failures.map((failure) => failure.service)).to.deep.equal(sent.map(() => service));
    const reasons: string[] = failures.map((failure) => failure.err.message);
    const uploads = sent.filter((request) => !request.startsWith('GET'));
    expect(reasons.filter((text) => reason.test(text)).length, reasons.join()).to.be.at.least(uploads.length);
  }

  const FOLDERS: Record<string, (path: string) => Promise<unknown>> = {
    'is a file': (path) => writeFile(path, ''),
    // Not writable for root either.
    'is not writable': (path) => symlink('/proc', path),
  };

  for (const [what, make] of Object.entries(FOLDERS)) {
    describe(`because the folder ${what}`, () => {
      before(async function () {
        if (process.platform !== 'linux' && what === 'is not writable') this.skip();
        const directory = join(app.dataDir, 'images');
        await make(directory);
        Object.assign(app.services.images, methodsOf(await openImageStore({ storage: 'local', directory })));
      });
      after(() => rm(join(app.dataDir, 'images')));
      it('is 503 for every request', () => {
        // A folder without the image cannot be distinguished from one that lost it.
        const sent = Object.keys(requests).filter((request) => what === 'is a file' || !request.startsWith('GET'));
        return expectFailures(sent, /E[A-Z]+/, `the image store (folder ${join(app.dataDir, 'images')})`);
      });
    });
  }
});
