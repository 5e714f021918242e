/** Prometheus metrics of AI provider calls, by operation: calls, failures, tokens and seconds. */
import { Counter, Histogram } from 'prom-client';
import type { AiOperation, TokenUsage } from './provider.js';
import type { FailureReason } from './provider-failure.js';

const calls = new Counter({
  name: 'daybook_ai_calls_total',
  help: 'Calls to the AI provider, including calls that the circuit breaker rejected. A call with retries counts once.',
  labelNames: ['operation'] as const,
});

const failures = new Counter({
  name: 'daybook_ai_failures_total',
  help: 'Failed calls to the AI provider, by reason.',
  labelNames: ['operation', 'reason'] as const,
});

const tokens = new Counter({
  name: 'daybook_ai_tokens_total',
  help: 'Tokens reported by the AI provider, by direction.',
  labelNames: ['operation', 'direction'] as const,
});

const seconds = new Histogram({
  name: 'daybook_ai_call_seconds',
  help: 'Duration of calls to the AI provider, including retries and the delays before them.',
  labelNames: ['operation'] as const,
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
});

/** @returns a function that stops the timer, to be called at the end of the call */
export function countCall(operation: AiOperation): () => void {
  calls.inc({ operation });
  return seconds.startTimer({ operation });
}

export function countFailure(operation: AiOperation, reason: FailureReason): void {
  failures.inc({ operation, reason });
}

export function countTokens(operation: AiOperation, { input, output }: TokenUsage): void {
  tokens.inc({ operation, direction: 'input' }, input);
  tokens.inc({ operation, direction: 'output' }, output);
}
