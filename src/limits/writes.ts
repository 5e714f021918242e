/** The limits on writes: every mutation of a member counts, each alias in a document too, and so do the bytes of its text. */
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
import { requireNoWait } from './limiter.js';
import type { Limits } from './limits.js';

/** Whose writes are limited. */
interface Writer {
  readonly viewer: { readonly memberId: number } | null;
  readonly limits: Limits;
}

/** Puts the limits in front of every mutation. They are on the fields themselves, so that both APIs pass them. */
export function capWrites(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: Writer, info) => {
      if (context.viewer) await countWrite(context, context.viewer.memberId, textBytesOf(field.args, args));
      return resolve(source, args, context, info);
    };
  }
  return schema;
}

/** @throws AppError RATE_LIMITED. What is refused here or later stays counted. */
async function countWrite({ limits }: Writer, memberId: number, textBytes: number): Promise<void> {
  const [changes = 0, bytes = 0] = await limits.writes.count([1, textBytes], String(memberId));
  requireNoWait(changes, 'changes');
  requireNoWait(bytes, 'bytes of text');
}

/** Bytes in UTF-8 of all values of type String: not of ids, so that deleting stays possible, nor of files. */
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
