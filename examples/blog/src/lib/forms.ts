/** Forms, limited before they are parsed: what arrives from anyone must cost the server little. */
import type { APIContext } from 'astro';
import { graphql } from './graphql';
import { ServiceError } from './service';

const MOST_BYTES = 100_000;
/** Longer than a text of 100,000 characters and an image. */
const MOST_BYTES_WITH_IMAGE = 12_000_000;
const MOST_FIELDS = 100;

const SESSION = graphql(`query Session($signedIn: Boolean!) { me @include(if: $signedIn) { id } }`);

export async function readForm(context: APIContext): Promise<FormData> {
  const type = context.request.headers.get('content-type') ?? '';
  const boundary = /^multipart\/form-data; ?boundary="?([\w'-]+)"?$/i.exec(type)?.[1];
  if (!boundary && !/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  const bytes = await readBytes(context);
  const separator = boundary ? `--${boundary}` : '&';
  let count = 0;
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, at + 1))
    if (++count > MOST_FIELDS) throw new ServiceError('PAYLOAD_TOO_LARGE', context.locals.t.tooLarge);
  // The parser gets the boundary by which the fields were counted.
  const counted = boundary ? `multipart/form-data; boundary=${boundary}` : 'application/x-www-form-urlencoded';
  return new Response(bytes, { headers: { 'Content-Type': counted } }).formData().catch(() => {
    throw new ServiceError('BAD_REQUEST');
  });
}

/** Counts the bytes as they arrive: a client may send them without their number. */
async function readBytes({ request, url, locals }: APIContext): Promise<Buffer<ArrayBuffer>> {
  // It is not cancelled after an error, because this would end the connection before the response.
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let most = MOST_BYTES;
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    size += chunk.value.length;
    if (size > most && most === MOST_BYTES && (await mayBeLarger(url.pathname, locals))) most = MOST_BYTES_WITH_IMAGE;
    if (size > most) throw new ServiceError('PAYLOAD_TOO_LARGE', locals.t.tooLarge);
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks);
}

/** Whether a form may have more than MOST_BYTES: a text or an image, of a member. The service says whether the session is valid. */
async function mayBeLarger(path: string, { service }: App.Locals): Promise<boolean> {
  if (!/^\/(write\/|settings$)/.test(path) || !service.session.isOpen) return false;
  return Boolean((await service.query(SESSION, {})).me);
}
