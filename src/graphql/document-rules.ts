/** Validation rules that limit the depth and the aliases of a document. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { GraphQLError, type ValidationContext, type ValidationRule } from 'graphql';
import type { Config } from '../config/index.js';
import { createMessage } from '../messages/message.js';
import { tooComplex } from './too-complex.js';

/** Rules whose errors have the key QUERY_TOO_COMPLEX, in place of the default errors of the libraries. */
export function limitRules({ maxDepth, maxAliases }: Config['graphqlLimits']): ValidationRule[] {
  return [
    maxDepthRule({
      n: maxDepth,
      flattenFragments: true,
      propagateOnRejection: false,
      onReject: [reportWith(() => tooComplex('document depth', createMessage('queryTooDeep', maxDepth)))],
    }),
    maxAliasesRule({
      n: maxAliases,
      propagateOnRejection: false,
      onReject: [reportWith(() => tooComplex('document aliases', createMessage('queryTooManyAliases', maxAliases)))],
    }),
  ] as ValidationRule[];
}

function reportWith(makeError: () => Error) {
  return (context: ValidationContext | null) => {
    const originalError = makeError();
    context?.reportError(new GraphQLError(originalError.message, { originalError }));
  };
}
