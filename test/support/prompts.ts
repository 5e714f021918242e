/** Prompts sent to the AI provider through the API. */
import { type BuiltMember } from './build.js';
import { call, graphql } from './client.js';

export const PROMPT = 'POST /api/external/gemini';

/** The result of a prompt. */
export interface Prompted {
  status: number;
  /** `1`, or the key of the error. */
  code: string;
  message: string;
  text: string | null;
  retryAfter: string | null;
}

type SendPrompt = (url: string, member: BuiltMember, prompt: unknown) => Promise<Prompted>;

/** Sends a prompt through each API. */
export const PROMPT_CLIENTS: Record<string, SendPrompt> = {
  REST: async (url, { token }, prompt) => {
    const { status, headers, body } = await call(url, PROMPT, { token, json: { prompt } });
    const { code = '', message = '', data } = body ?? {};
    return { status, code, message, text: data?.text ?? null, retryAfter: headers.get('Retry-After') };
  },
  GraphQL: async (url, { token }, prompt) => {
    const query = 'mutation ($prompt: String!) { generateText(prompt: $prompt) { text } }';
    const { status, headers, data, errors } = await graphql(url, query, { prompt }, token);
    const [error] = errors ?? [];
    return {
      status,
      code: error?.extensions.code ?? '1',
      message: error?.message ?? '',
      text: data?.generateText?.text ?? null,
      retryAfter: headers.get('Retry-After'),
    };
  },
};
