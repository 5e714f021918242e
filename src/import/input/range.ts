/** Streams of an open file. Those of `FileHandle.createReadStream` close it when they are destroyed, also with `autoClose: false`. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

export const CHUNK_BYTES = 64 * 1024;

/** The bytes from `start` until before `end`, or until the end of the file. The file stays open. */
export function readRange(file: FileHandle, start: number, end: number): Readable {
  return Readable.from(chunks(file, start, end), { objectMode: false });
}

async function* chunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const length = Math.min(CHUNK_BYTES, end - position);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
