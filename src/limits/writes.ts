/** The cap on writes: every mutation of a member counts, each alias in a document too. */
import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.js';
import { requireNoWait } from './limiter.js';

/** Puts the cap in front of every mutation. It is on the fields themselves, so that both surfaces pass it. */
export function capWrites(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: Context, info) => {
      const { viewer, limits } = context;
      if (viewer) requireNoWait(await limits.writes.count(String(viewer.memberId)), 'changes');
      return resolve(source, args, context, info);
    };
  }
  return schema;
}
