/** The write limits of a member: each mutation field counts, also each alias in a document, and the bytes of text in its arguments. */
import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Database } from '../../platform/database/pool.js';
import type { Limits } from './limits.js';
import { assertNotRateLimited, type MultiLimiter } from './rate-limiter.js';

interface Counting {
  readonly limits: Limits;
  readonly database: Database;
}

/** The part of a request's context that the write limits use. */
interface Writer extends Counting {
  readonly viewer: { readonly memberId: number } | null;
}

/** Wraps the resolver of every mutation field with the limits, so that they apply to GraphQL and REST. */
export function rateLimitMutations(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: Writer, info) => {
      if (context.viewer && !field.extensions.countsAsDraft)
        await countWrite(context, context.viewer.memberId, textBytesOf(field.args, args));
      return resolve(source, args, context, info);
    };
  }
  return schema;
}

/** Counts a text that a change writes, and that is not in its arguments. @throws AppError RATE_LIMITED */
export function countText(writer: Counting, memberId: number, text: string): Promise<void> {
  return countBytes(writer, memberId, Buffer.byteLength(text));
}

/** As `countText`. @param bytes of the text, as UTF-8 */
export function countBytes(writer: Counting, memberId: number, bytes: number): Promise<void> {
  return countWrite(writer, memberId, bytes, 0);
}

/** A mutation that is rejected here or later stays counted. @throws AppError RATE_LIMITED */
async function countWrite(
  { limits, database }: Counting,
  memberId: number,
  textBytes: number,
  writes = 1,
): Promise<void> {
  const [changes = 0, bytes = 0] = await limits.writes.count(database, [writes, textBytes], String(memberId));
  assertNotRateLimited(changes, 'changes');
  assertNotRateLimited(bytes, 'bytes of text');
}

interface DraftWrite<Saved> {
  /** Reads the draft if the save would change nothing; otherwise null. Absent: every save is a change. */
  readonly findUnchanged?: () => Promise<Saved | null>;
  /** Whether a save has changed something. */
  readonly isChange?: (saved: Saved) => boolean;
}

/**
 * Counts a write of a draft. Its bytes of text count only if it changes something: an editor may save the same text many times, also when the limit
 * is reached.
 * @throws AppError RATE_LIMITED, and the errors of `save` and `findUnchanged`
 */
export async function countDraftWrite<Saved>(
  { limits, database }: Counting,
  { memberId, textBytes }: { memberId: number; textBytes: number },
  save: () => Promise<Saved>,
  { findUnchanged, isChange = () => true }: DraftWrite<Saved> = {},
): Promise<Saved> {
  const key = String(memberId);
  const [changes = 0, bytes = 0] = await limits.draftWrites.count(database, [1, textBytes], key);
  let isWritten = false;
  try {
    assertNotRateLimited(changes, 'changes');
    const unchanged = bytes > 0 ? await findUnchanged?.() : null;
    if (unchanged) return unchanged;
    assertNotRateLimited(bytes, 'bytes of text');
    const saved = await save();
    isWritten = isChange(saved);
    return saved;
  } finally {
    if (!isWritten && textBytes > 0) await limits.draftWrites.refund(database, [0, textBytes], key).catch(() => {});
  }
}

/** UTF-8 bytes of all String values. IDs do not count, so that deletions remain possible, nor do files. */
function textBytesOf(
  fields: readonly Pick<GraphQLArgument, 'name' | 'type'>[],
  values: Record<string, unknown>,
): number {
  return fields.reduce((bytes, { name, type }) => bytes + textBytes(type, values[name]), 0);
}

function textBytes(type: GraphQLInputType, value: unknown): number {
  if (value == null) return 0;
  if (isNonNullType(type)) return textBytes(type.ofType, value);
  if (type === GraphQLString) return Buffer.byteLength(String(value));
  if (isListType(type)) return [value].flat().reduce<number>((bytes, one) => bytes + textBytes(type.ofType, one), 0);
  return isInputObjectType(type) ? textBytesOf(Object.values(type.getFields()), value as Record<string, unknown>) : 0;
}

/** Bytes of a stored response that do not count as bytes of text: names of fields, ids and times. */
const FREE_BYTES = 4 * 1024;

/** For a request with an Idempotency-Key: counts the text of a change twice, since the stored response contains it again. */
export class IdempotentWriteLimiter implements MultiLimiter {
  /** Null until a change is counted. */
  #bytes: number | null = null;

  constructor(private readonly writes: MultiLimiter) {}

  count(database: Database, [changes = 0, bytes = 0]: readonly number[], ...key: string[]): Promise<number[]> {
    this.#bytes = bytes;
    return this.writes.count(database, [changes, 2 * bytes], ...key);
  }

  refund(database: Database, [changes = 0, bytes = 0]: readonly number[], ...key: string[]): Promise<void> {
    return this.writes.refund(database, [changes, 2 * bytes], ...key);
  }

  /** Counts the bytes of a stored response that exceed those of the text. The next change is rejected if they exceed the limit. */
  async countExcess(database: Database, storedBytes: number, memberId: number): Promise<void> {
    if (this.#bytes === null) return;
    const excess = storedBytes - this.#bytes - FREE_BYTES;
    if (excess > 0) await this.writes.count(database, [0, excess], String(memberId)).catch(() => {});
  }
}
