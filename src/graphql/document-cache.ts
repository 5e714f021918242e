/** Parses GraphQL documents: limits their size before parsing, validates, and caches in limited memory. */
import { createHash } from 'node:crypto';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { Config } from '../platform/config/index.js';
import { createMessage } from '../platform/messages/message.js';
import { beginningOf } from '../platform/text.js';
import { tooComplex } from './format-error.js';
import { analyzeOperation, type OperationAnalysis } from './operation-analysis.js';

/** Validation compares fields with the same name in pairs: its time is quadratic in this number. */
const MAX_REPETITIONS = fixedLimit({
  area: 'GraphQL',
  value: 100,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Occurrences of one name in a document.',
});

/** Validation errors in a response, at which validation stops. */
const MAX_VALIDATION_ERRORS = 10;

const MAX_CACHE_MIB = 16;

/** Estimated memory in bytes of a token and its AST nodes (measured: 250 to 450 bytes). */
const BYTES_PER_TOKEN = 500;

/** A document was rejected with these errors of graphql-js. */
export class DocumentErrors extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
  }
}

export interface CachedDocument {
  readonly document: DocumentNode;
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
}

/** Shared by all transports. Also Apollo's `documentStore`: it returns the documents that `read` cached, so Apollo does not parse. */
export class DocumentCache {
  readonly #byText: LRUCache<string, CachedDocument>;
  /** By the SHA-256 of the text, which is Apollo's query hash. */
  readonly #byHash = new Map<string, { document: DocumentNode; text: string }>();
  readonly #limitRules: readonly ValidationRule[];
  readonly #validationRules: readonly ValidationRule[];

  constructor(
    readonly schema: GraphQLSchema,
    readonly limits: Config['graphqlLimits'],
    isIntrospectionAllowed: boolean,
  ) {
    this.#limitRules = limitRules(limits);
    this.#validationRules = [...specifiedRules, ...(isIntrospectionAllowed ? [] : [NoSchemaIntrospectionCustomRule])];
    this.#byText = new LRUCache({
      maxSize: MAX_CACHE_MIB * 1024 * 1024,
      dispose: ({ hash }) => this.#byHash.delete(hash),
    });
  }

  /** Estimated memory of the cache in bytes. */
  get cachedBytes(): number {
    return this.#byText.calculatedSize;
  }

  has(text: string): boolean {
    return this.#byText.has(text);
  }

  /**
   * The parsed and validated document.
   * @throws AppError QUERY_TOO_COMPLEX; DocumentErrors
   */
  read(text: string): CachedDocument {
    const cached = this.#byText.get(text);
    if (cached) return cached;
    const { maxCharacters } = this.limits;
    if (text.length > maxCharacters) {
      throw tooComplex('document characters', createMessage('queryTooLong', maxCharacters, text.length));
    }
    const source = new Source(text);
    const tokens = this.#countTokens(source);
    const document = this.#parse(source);
    this.#validate(document);
    const hash = createHash('sha256').update(text).digest('hex');
    const added = { document, hash };
    this.#byText.set(text, added, { size: 2 * text.length + tokens * BYTES_PER_TOKEN });
    // A document above the maximum is not stored.
    if (this.#byText.has(text)) this.#byHash.set(hash, { document, text });
    return added;
  }

  /** The text of a document that `read` cached, by its SHA-256. */
  textOf(hash: string): string | undefined {
    return this.#byHash.get(hash)?.text;
  }

  /** Null if the document has no such operation. */
  analysisOf({ document }: CachedDocument, operationName: string | undefined): OperationAnalysis | null {
    const operation = getOperationAST(document, operationName);
    return operation ? analyzeOperation(this.schema, document, operation) : null;
  }

  /** @param key ends with the hash of the text; Apollo adds a prefix with the hash of the schema */
  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#byHash.get(key.slice(-64))?.document;
  }

  /** No operation: only `read` caches documents. */
  async set(): Promise<void> {}

  async delete(): Promise<boolean> {
    return false;
  }

  /** The parser has a token limit too, but its error cannot be distinguished from other syntax errors. */
  #countTokens(source: Source): number {
    const { maxTokens } = this.limits;
    const occurrences = new Map<string, number>();
    const lexer = new Lexer(source);
    for (let count = 0; ; count++) {
      const { kind, value } = advance(lexer);
      if (kind === TokenKind.EOF) return count;
      if (count === maxTokens) throw tooComplex('document tokens', createMessage('queryTooManyTokens', maxTokens));
      if (kind !== TokenKind.NAME) continue;
      const repetitions = (occurrences.get(value) ?? 0) + 1;
      occurrences.set(value, repetitions);
      if (repetitions > MAX_REPETITIONS) {
        throw tooComplex(
          'document repetitions',
          createMessage('queryRepeatsName', beginningOf(value, 60), MAX_REPETITIONS),
        );
      }
    }
  }

  #parse(source: Source): DocumentNode {
    try {
      return parse(source, { maxTokens: this.limits.maxTokens });
    } catch (error) {
      throw error instanceof GraphQLError ? new DocumentErrors([error]) : error;
    }
  }

  #validate(document: DocumentNode): void {
    for (const rules of [this.#limitRules, this.#validationRules]) {
      const errors = validate(this.schema, document, rules, { maxErrors: MAX_VALIDATION_ERRORS });
      if (errors.length > 0) throw new DocumentErrors(errors.slice(0, MAX_VALIDATION_ERRORS));
    }
  }
}

function advance(lexer: Lexer): { kind: TokenKind; value: string } {
  try {
    const { kind, value } = lexer.advance();
    return { kind, value };
  } catch (error) {
    throw error instanceof GraphQLError ? new DocumentErrors([error]) : error;
  }
}

/** Rules whose errors have the key QUERY_TOO_COMPLEX, in place of the default errors of the libraries. */
function limitRules({ maxDepth, maxAliases }: Config['graphqlLimits']): ValidationRule[] {
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
