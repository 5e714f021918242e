/** The condition of a mutation on the revision of what it changes: its argument `ifRevision`, in place of the header If-Match. */
import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { CONDITION } from '../schema/condition.js';

/** Sets the condition in the context of each mutation that has the argument. */
export function readConditions(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    if (!field.args.some(({ name }) => name === CONDITION.name)) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context: Context, info) =>
      resolve(source, args, conditional(context, args[CONDITION.name]), info);
  }
  return schema;
}

/** @throws AppError VALIDATION_FAILED for both conditions */
function conditional(context: Context, ifRevision: number | string | null | undefined): Context {
  if (ifRevision == null) return context;
  if (context.ifMatch !== null) throw invalid(CONDITION.name, createMessage('cannotCombineWithIfMatch'));
  return { ...context, ifMatch: { ifRevision } };
}
