/** Multipart bodies written byte by byte, valid and malformed. */

export interface PartForm {
  name: string;
  body: string | Uint8Array;
  /** Absent: a plain field. */
  filename?: string;
  type?: string;
  /** Header lines that replace the generated ones. */
  head?: string;
}

export const BOUNDARY = 'daybook-boundary';

/** Body and headers as options of `call`. */
export function multipart(parts: PartForm[], { boundary = BOUNDARY, end = `--${BOUNDARY}--\r\n` } = {}) {
  const bytes = parts.flatMap((part) => [`--${BOUNDARY}\r\n${headOf(part)}\r\n\r\n`, part.body, '\r\n']);
  return {
    body: Buffer.concat([...bytes, end].map((chunk) => Buffer.from(chunk as string))),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

/** The JSON part. */
export function requestPart(json: unknown): PartForm {
  return { name: 'request', body: JSON.stringify(json) };
}

export function filePart(body: string | Uint8Array, filename = 'image.png', type = 'image/png'): PartForm {
  return { name: 'file', body, filename, type };
}

function headOf({ name, filename, type, head }: PartForm): string {
  if (head !== undefined) return head;
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  return disposition + file + (type === undefined ? '' : `\r\nContent-Type: ${type}`);
}
