/** Client for providers with an OpenAI-compatible API. Uses chat completions, which all of them support. */
import OpenAI from 'openai';
import type { AiSettings } from '../../platform/config/settings/ai.js';
import { boundedFetch } from '../../platform/http/bounded-fetch.js';
import type { Log } from '../../platform/observability/log.js';
import { AiCallWithRetries } from './call-with-retries.js';
import { CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.js';
import { countTokens } from './metrics.js';
import type { Completion, TextCall, TextModel, TokenUsage } from './provider.js';
import { ProviderFailure } from './provider-failure.js';

/** Maximum bytes of a response: 100,000 characters, all escaped in JSON, take 600,000. */
const MAX_BYTES = 2_000_000;
/** Bytes of a streamed response, which wraps each token in a few hundred bytes of JSON. */
const MAX_STREAMED_BYTES = 32_000_000;

const BREAKER: CircuitBreakerOptions = { failures: 5, probeDelayMs: 30_000 };

type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** @returns null if no provider is configured */
export function openModel(settings: AiSettings | null, log: Log, breaker = BREAKER): TextModel | null {
  return settings && new OpenAiModel(settings, log, breaker);
}

class OpenAiModel implements TextModel {
  readonly name: string;
  readonly #settings: AiSettings;
  readonly #log: Log;
  readonly #breaker: CircuitBreaker;
  readonly #client: OpenAI;
  readonly #streamClient: OpenAI;

  constructor(settings: AiSettings, log: Log, breaker: CircuitBreakerOptions) {
    this.name = settings.model;
    this.#settings = settings;
    this.#log = log;
    this.#breaker = new CircuitBreaker(breaker);
    this.#client = createClient(settings, MAX_BYTES);
    this.#streamClient = createClient(settings, MAX_STREAMED_BYTES);
  }

  async complete(call: TextCall, signal?: AbortSignal): Promise<Completion> {
    const attempts = this.#attempts(call, signal);
    try {
      const completion = await attempts.run((signal) => this.#create(this.#request(call), signal));
      countTokens(call.operation, completion.tokens);
      attempts.succeed();
      return completion;
    } catch (error) {
      throw attempts.fail(error);
    }
  }

  async *stream(call: TextCall, signal?: AbortSignal): AsyncIterable<string> {
    const attempts = this.#attempts(call, signal);
    try {
      const body = { ...this.#request(call), stream: true, stream_options: { include_usage: true } } as const;
      const chunks = await attempts.run((signal) => this.#streamClient.chat.completions.create(body, { signal }));
      yield* this.#chunksOf(call, chunks);
      attempts.succeed();
    } catch (error) {
      throw attempts.fail(error);
    } finally {
      attempts.abandon();
    }
  }

  /** Not every provider supports JSON schemas, or every keyword in them: after a 400 or 422 the call is repeated without the schema. */
  async #create({ response_format, ...plain }: Request, signal: AbortSignal): Promise<Completion> {
    const { completions } = this.#client.chat;
    if (!response_format) return read(await completions.create(plain, { signal }));
    try {
      return read(await completions.create({ ...plain, response_format }, { signal }));
    } catch (error) {
      const isRejected = error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError;
      if (!isRejected) throw error;
      return read(await completions.create(plain, { signal }));
    }
  }

  async *#chunksOf({ operation }: TextCall, chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): AsyncIterable<string> {
    let finishReason: string | null = null;
    let tokens: TokenUsage = { input: 0, output: 0 };
    let isEmpty = true;
    for await (const { choices, usage } of chunks) {
      if (usage) tokens = tokensOf(usage);
      const [choice] = choices ?? [];
      finishReason = choice?.finish_reason ?? finishReason;
      const chunk = choice?.delta?.content;
      if (typeof chunk !== 'string' || chunk === '') continue;
      isEmpty = false;
      yield chunk;
    }
    countTokens(operation, tokens);
    if (finishReason === 'content_filter') throw new ProviderFailure('refused');
    if (finishReason !== 'stop') throw new ProviderFailure(isEmpty ? 'unreadable' : 'cutOff');
  }

  #attempts({ operation }: TextCall, signal: AbortSignal | undefined): AiCallWithRetries {
    const { timeoutMs, maxRetries } = this.#settings;
    return new AiCallWithRetries({ operation, timeoutMs, maxRetries, breaker: this.#breaker, log: this.#log, signal });
  }

  #request({ messages, maxOutputTokens, schema }: TextCall): Request {
    // OpenAI's newer models reject `max_tokens`; some other providers do not support `max_completion_tokens`.
    const isOpenAi = new URL(this.#settings.baseUrl).hostname === 'api.openai.com';
    return {
      model: this.name,
      messages: [...messages],
      ...(isOpenAi ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens }),
      ...(schema && { response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } } }),
    };
  }
}

/** The library's own retries, timeout, logging and environment variables are disabled. */
function createClient({ baseUrl, apiKey, timeoutMs }: AiSettings, maxBytes: number): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    ...(apiKey === null && { defaultHeaders: { Authorization: null } }),
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    // The timeout of AiCallWithRetries ends the call first.
    timeout: timeoutMs * 2,
    logLevel: 'off',
    fetch: boundedFetch(maxBytes),
    // A redirect would send an article's text to an address that is not configured.
    fetchOptions: { redirect: 'error' },
  });
}

/** Validates the response, whose declared type is not guaranteed. @throws ProviderFailure */
function read(response: OpenAI.ChatCompletion): Completion {
  const choice = response?.choices?.[0];
  const text: unknown = choice?.message?.content;
  const finishReason = choice?.finish_reason;
  if (finishReason === 'content_filter' || choice?.message?.refusal) throw new ProviderFailure('refused');
  if (typeof text !== 'string' || text.trim() === '') {
    throw new ProviderFailure(finishReason === 'length' ? 'cutOff' : 'unreadable');
  }
  return { text, tokens: tokensOf(response.usage), isCutOff: finishReason === 'length' };
}

function tokensOf(usage: OpenAI.CompletionUsage | null | undefined): TokenUsage {
  return { input: count(usage?.prompt_tokens), output: count(usage?.completion_tokens) };
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
