/** An S3 server without buckets. */
import type { AddressInfo } from 'node:net';
// @ts-expect-error it has no types
import S3rver from '@20minutes/s3rver';
import { makeFolder } from './folder.js';

export interface S3Server {
  /** The environment for a process that uses it. */
  environment: Record<string, string>;
  endpoint: string;
  stop(): Promise<void>;
}

/** The only accepted credential, used as both id and secret. */
const KEY = 'S3RVER';

export async function startS3(): Promise<S3Server> {
  const directory = await makeFolder();
  const server: { run(): Promise<AddressInfo>; close(): Promise<void> } = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    // The server and the client compute different signatures for virtual-hosted bucket URLs.
    allowMismatchedSignatures: true,
    directory,
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    environment: { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: KEY, S3_SECRET_ACCESS_KEY: KEY },
    stop: async () => {
      await server.close();
    },
  };
}
