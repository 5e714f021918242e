/** ZIP archives, also such that no program writes: each header can have any content. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  /** Bytes are written as they are, in an unknown encoding. */
  name: string | Buffer;
  content?: Buffer | string;
  /** Default: stored. */
  isDeflated?: boolean;
  /** Default: UTF-8 is declared for names that are strings. */
  flags?: number;
  method?: number;
  /** Of the file in the upper half, such as 0o120777 << 16 for a link. */
  attributes?: number;
  /** Replaces the real value in the directory. */
  size?: number;
  crc?: number;
  /** The content is that of the file with this index: the entries overlap. */
  sharedWith?: number;
}

/** @param declared the number of entries at the end of the archive; default: the real one */
export function zipOf(files: readonly ZipFile[], declared = files.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  const contents: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name as string);
    const content = Buffer.from(file.content ?? '');
    const shared = file.sharedWith === undefined ? undefined : contents[file.sharedWith];
    const data = shared ?? (file.isDeflated ? deflateRawSync(content) : content);
    contents.push(data);
    const method = file.method ?? (file.isDeflated ? 8 : 0);
    const flags = file.flags ?? (typeof file.name === 'string' ? 0x800 : 0);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(file.crc ?? crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(file.size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const start = file.sharedWith === undefined ? offset : (offsets[file.sharedWith] ?? 0);
    offsets.push(start);
    if (start === offset) {
      parts.push(Buffer.from('504b0304', 'hex'), fields, name, data);
      offset += 30 + name.length + data.length;
    }
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((file.attributes ?? 0) >>> 0, 6);
    rest.writeUInt32LE(start, 10);
    // Made by Unix (3), as 2.0.
    directory.push(Buffer.from('504b01021403', 'hex'), fields, rest, name);
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(declared & 0xffff, 4);
  end.writeUInt16LE(declared & 0xffff, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, entries, Buffer.from('504b0506', 'hex'), end]);
}

/** Zip64: an end of the archive that declares more than 65,535 entries. */
export function withZip64End(zip: Buffer, declared: number): Buffer {
  const end = zip.subarray(-22);
  const record = Buffer.alloc(56);
  record.write('504b0606', 'hex');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(declared), 24);
  record.writeBigUInt64LE(BigInt(declared), 32);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.write('504b0607', 'hex');
  locator.writeBigUInt64LE(BigInt(zip.length - 22), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([zip.subarray(0, -22), record, locator, end]);
}
