/** What the resolvers declare about root fields, and the schema does not contain: the need for a token, and the class of the arguments. */
import type { OperationTypeNode } from 'graphql';
import { getMetadataStorage } from 'type-graphql';

interface RootField {
  /** Whether it has `@Authorized()`. */
  readonly isAuthorized: boolean;
  /** The class of its `@Args()`, which has their validators. */
  readonly argumentsClass: (new () => object) | null;
}

/** Requires that the schema has been built. @throws Error for an unknown field */
export function rootField(operation: OperationTypeNode | `${OperationTypeNode}`, name: string): RootField {
  const { queries, mutations, subscriptions } = getMetadataStorage();
  const declared = { query: queries, mutation: mutations, subscription: subscriptions }[operation];
  const field = declared.find(({ schemaName }) => schemaName === name);
  if (!field) throw new Error(`no resolver declares the ${operation} ${name}`);
  const args = field.params?.find(({ kind }) => kind === 'args');
  return {
    isAuthorized: field.roles !== undefined,
    argumentsClass: args?.kind === 'args' ? (args.getType() as new () => object) : null,
  };
}
