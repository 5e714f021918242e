/** Texts from the AI provider: a text in another style, and the response to a prompt. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';

const STYLED_TEXT = shape({
  fragment: `fragment StyledText on StyledText { transformedContent writingStyle: styleName }`,
  description: 'A text that was rewritten in another style.',
  example: { transformedContent: 'Wait until nine, and you will see it!', writingStyle: 'FRIENDLY' },
});

const GENERATED_TEXT = plainShape('GeneratedText', 'The text that the AI provider generated.', {
  text: 'Homigot, Ulgi and Sokcho.',
});

const transformStyle: Endpoint = {
  method: 'POST',
  path: '/articles/transform-style',
  group: 'Style',
  summary: 'Rewrite a text in another style',
  description:
    'Authentication required. Exactly one of `writingStyle` and `customStyleId` is required. An AI provider ' +
    'generates the text, within a daily budget per member. Clients that prefer `text/event-stream` receive it in ' +
    'chunks.',
  example: { content: 'The fog lifts at nine, and there it is.', writingStyle: 'FRIENDLY' },
  message: 'textGenerated',
  streamable: true,
  operation: ['transformStyle', STYLED_TEXT],
  errors: ['AI_NOT_CONFIGURED', 'AI_PROVIDER_FAILED', 'STYLE_NOT_FOUND'],
};

const generateText: Endpoint = {
  method: 'POST',
  path: '/external/gemini',
  summary: 'Send a prompt to the configured AI provider',
  description:
    'Authentication required. Sends one request to the provider that summaries and styles use, for testing. The name in ' +
    'the path does not select the provider. The request counts toward the daily AI budget.',
  example: { prompt: 'Name three lighthouses on the east coast of Korea.' },
  message: 'promptResponseGenerated',
  operation: ['generateText', GENERATED_TEXT],
  errors: ['AI_NOT_CONFIGURED', 'AI_PROVIDER_FAILED'],
};

export const styleEndpoints = [transformStyle, generateText];
