/** Client for providers with an OpenAI-compatible API. Uses chat completions, which all of them support. */
import type { AiSettings } from '../../platform/config/settings/ai.js';
import type { Log } from '../../platform/observability/log.js';
import { AiCallWithRetries } from './call-with-retries.js';
import { type ChatRequest, type ChatResponse, complete, ProviderError, stream } from './chat-completions.js';
import { CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.js';
import { countTokens } from './metrics.js';
import type { Completion, TextCall, TextModel, TokenUsage } from './provider.js';
import { ProviderFailure } from './provider-failure.js';

const BREAKER: CircuitBreakerOptions = { failures: 5, probeDelayMs: 30_000 };

/** @returns null if no provider is configured */
export function openModel(settings: AiSettings | null, log: Log, breaker = BREAKER): TextModel | null {
  return settings && new OpenAiModel(settings, log, breaker);
}

class OpenAiModel implements TextModel {
  readonly name: string;
  readonly #settings: AiSettings;
  readonly #log: Log;
  readonly #breaker: CircuitBreaker;

  constructor(settings: AiSettings, log: Log, breaker: CircuitBreakerOptions) {
    this.name = settings.model;
    this.#settings = settings;
    this.#log = log;
    this.#breaker = new CircuitBreaker(breaker);
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
      const body = { ...this.#request(call), stream_options: { include_usage: true } };
      const chunks = await attempts.run((signal) => stream(this.#settings, body, signal));
      yield* this.#chunksOf(call, chunks);
      attempts.succeed();
    } catch (error) {
      throw attempts.fail(error);
    } finally {
      attempts.abandon();
    }
  }

  /** Not every provider supports JSON schemas, or every keyword in them: after a 400 or 422 the call is repeated without the schema. */
  async #create({ response_format, ...plain }: ChatRequest, signal: AbortSignal): Promise<Completion> {
    const send = async (request: ChatRequest) => read(await complete(this.#settings, request, signal));
    if (!response_format) return send(plain);
    try {
      return await send({ ...plain, response_format });
    } catch (error) {
      const isRejected = error instanceof ProviderError && [400, 422].includes(error.status);
      if (!isRejected) throw error;
      return send(plain);
    }
  }

  async *#chunksOf({ operation }: TextCall, chunks: AsyncIterable<ChatResponse>): AsyncIterable<string> {
    let finishReason: string | null = null;
    let tokens: TokenUsage = { input: 0, output: 0 };
    let isEmpty = true;
    for await (const response of chunks) {
      if (response?.usage) tokens = tokensOf(response);
      const choice = response?.choices?.[0];
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

  #request({ messages, maxOutputTokens, schema }: TextCall): ChatRequest {
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

/** Validates the response, whose declared types are not guaranteed. @throws ProviderFailure */
function read(response: ChatResponse): Completion {
  const choice = response?.choices?.[0];
  const text: unknown = choice?.message?.content;
  const finishReason = choice?.finish_reason;
  if (finishReason === 'content_filter' || choice?.message?.refusal) throw new ProviderFailure('refused');
  if (typeof text !== 'string' || text.trim() === '') {
    throw new ProviderFailure(finishReason === 'length' ? 'cutOff' : 'unreadable');
  }
  return { text, tokens: tokensOf(response), isCutOff: finishReason === 'length' };
}

function tokensOf(response: ChatResponse): TokenUsage {
  const usage = response?.usage;
  return { input: count(usage?.prompt_tokens), output: count(usage?.completion_tokens) };
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
