/** Decodes protobuf without a schema: fields by number, each as bytes or a number. */

export type Field = number | bigint | Uint8Array;

/** @returns the values of each field number, in order */
export function readMessage(bytes: Uint8Array): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tag = Number(readVarint(cursor));
    const number = tag >> 3;
    fields.set(number, [...(fields.get(number) ?? []), readField(cursor, tag & 7)]);
  }
  return fields;
}

interface Cursor {
  bytes: Uint8Array;
  at: number;
}

/** The wire types: varint, 64 bits, length-delimited, 32 bits. */
function readField(cursor: Cursor, type: number): Field {
  if (type === 0) return readVarint(cursor);
  const length = type === 1 ? 8 : type === 5 ? 4 : Number(readVarint(cursor));
  const field = cursor.bytes.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return field;
}

function readVarint(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}
