/** Requests with `node:http`: `fetch` takes about as much processor time as the service needs for a small response. */
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

const agent = new Agent({ keepAlive: true });

/** Those of `fetch`, which compresses responses too. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-language': '*', 'user-agent': 'node' };

/**
 * As `fetch`, except that the body of the response is compressed only if `headers` accept it, and that a redirect is returned.
 * @param isRead whether to read a body of this type; any other one is discarded, and its connection closed
 */
export async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array | null = null,
  isRead: (type: string) => boolean = () => true,
): Promise<Received> {
  const sent: Record<string, string | number> = { ...DEFAULT_HEADERS };
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value;
  if (body !== null) sent['content-length'] = Buffer.byteLength(body);
  const response = await responseTo(url, { method, agent, headers: sent }, body);
  const received = new Headers();
  for (let index = 0; index < response.rawHeaders.length; index += 2)
    received.append(response.rawHeaders[index] ?? '', response.rawHeaders[index + 1] ?? '');
  return { status: response.statusCode ?? 0, headers: received, text: await textOf(response, isRead) };
}

function responseTo(url: string, options: RequestOptions, body: string | Uint8Array | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Node sends headers in Latin-1, as `fetch` does, unless it sends them together with a text in UTF-8.
    request(url, options, resolve)
      .on('error', reject)
      .end(typeof body === 'string' ? Buffer.from(body) : body);
  });
}

async function textOf(response: IncomingMessage, isRead: (type: string) => boolean): Promise<string> {
  if (!isRead(response.headers['content-type'] ?? '')) {
    response.destroy();
    return '';
  }
  const bytes = await bytesOf(response);
  const encoding = response.headers['content-encoding'];
  // The response to HEAD names the encoding too.
  if (encoding === undefined || bytes.length === 0) return bytes.toString();
  return (encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString();
}

/** `node:stream/consumers` would make a Blob first. */
function bytesOf(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}
