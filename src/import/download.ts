/** Downloads one picture from another server, within limits, and never from an address that is not public. */
import type { IncomingMessage } from 'node:http';
import { NotPublicError, type PublicRequest, requestPublic } from '../platform/http/public-address.js';
import { MAX_IMAGE_BYTES } from '../services/images/image.js';

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Why a picture cannot be downloaded, as a part of a sentence. */
export class DownloadError extends Error {}

/** The server did not respond at all: its other pictures would take the same time. */
export class UnreachableError extends DownloadError {}

export interface DownloadOptions extends Pick<PublicRequest, 'isAllowed'> {
  signal?: AbortSignal | undefined;
}

/** @throws DownloadError, or the reason of the signal */
export async function download(address: URL, { isAllowed, signal }: DownloadOptions = {}): Promise<Buffer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const request = { isAllowed, signal: signal ? AbortSignal.any([signal, timeout]) : timeout, headers: HEADERS };
  try {
    return await follow(address, request);
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) throw new UnreachableError(`it took more than ${TIMEOUT_MS / 1000} seconds`);
    if (error instanceof NotPublicError) throw new DownloadError('its server has no public address');
    if (error instanceof DownloadError) throw error;
    throw new UnreachableError(`the server cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

async function follow(address: URL, request: PublicRequest): Promise<Buffer> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!/^https?:$/.test(url.protocol)) throw new DownloadError('its address is not http or https');
    const response = await requestPublic(url, request);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return bodyOf(response);
    response.destroy();
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw new DownloadError(`the server responded with status ${statusCode}`);
    if (!URL.canParse(headers.location, url.href)) throw new DownloadError('it was redirected to an invalid address');
    url = new URL(headers.location, url);
  }
  throw new DownloadError(`it was redirected more than ${MAX_REDIRECTS} times`);
}

const HEADERS = { 'User-Agent': 'Daybook import', Accept: 'image/*', 'Accept-Encoding': 'identity' };

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = Number(response.headers['content-length'] ?? 0) > MAX_IMAGE_BYTES ? MAX_IMAGE_BYTES + 1 : 0;
  if (size === 0) {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MAX_IMAGE_BYTES) break;
      chunks.push(chunk);
    }
  }
  response.destroy();
  if (size > MAX_IMAGE_BYTES) throw new DownloadError(`it has more than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`);
  return Buffer.concat(chunks);
}
