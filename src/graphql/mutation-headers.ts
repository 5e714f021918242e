/** The headers Idempotency-Key and If-Match of a GraphQL request. They apply to documents with exactly one mutation field. */
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type Koa from 'koa';
import { AppError } from '../errors.js';
import { readKey } from '../idempotency/key.js';
import { createMessage } from '../messages/message.js';
import { acceptsKey } from '../schema/idempotency.js';

export interface MutationHeaders {
  readonly key: string | null;
  readonly ifMatch: string | null;
}

const NONE: MutationHeaders = { key: null, ifMatch: null };

/**
 * Both headers are ignored by queries, and the key also by mutations that declare it (schema/idempotency.ts).
 * @throws AppError BAD_REQUEST, VALIDATION_FAILED
 */
export function readMutationHeaders(
  ctx: Koa.Context,
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): MutationHeaders {
  const { 'idempotency-key': sentKey, 'if-match': ifMatch = null } = ctx.headers;
  if (sentKey === undefined && ifMatch === null) return NONE;
  const fields = mutationFields(schema, document, operationName);
  const [field] = fields;
  if (!field) return NONE;
  if (fields.length > 1) {
    const header = sentKey === undefined ? 'If-Match' : 'Idempotency-Key';
    throw new AppError('BAD_REQUEST', { message: createMessage('headerNeedsOneMutation', header, fields.length) });
  }
  return { key: acceptsKey(field.extensions) ? readKey(ctx) : null, ifMatch };
}

/** The root fields of a mutation, also those of its fragments. Empty for a query, or without an operation of this name. */
function mutationFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): GraphQLField<unknown, unknown>[] {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.MUTATION) return [];
  const definitions = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
  const fields: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  const onField = () => {
    const field = types.getFieldDef();
    if (field && types.getParentType() === schema.getMutationType() && field.name !== '__typename') fields.push(field);
  };
  visit({ kind: Kind.DOCUMENT, definitions }, visitWithTypeInfo(types, { Field: onField }));
  return fields;
}
