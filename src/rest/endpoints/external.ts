/** The AI provider itself, over REST. */
import { GenerateTextArgs } from '../../schema/style.js';
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { field } from '../engine/source.js';
import { GENERATED_TEXT } from './shapes.js';

const generateText: Endpoint = {
  method: 'POST',
  path: '/external/gemini',
  group: 'External',
  summary: 'Send a prompt to the configured AI provider',
  description:
    'Authentication required. Sends one request to the provider that summaries and styles use, for testing. The name in ' +
    'the path does not select the provider. The request counts towards the daily AI budget.',
  example: { prompt: 'Name three lighthouses on the east coast of Korea.' },
  auth: 'bearer',
  status: 200,
  message: 'promptResponseGenerated',
  body: 'json',
  operation: `mutation ($prompt: String!) { generateText(prompt: $prompt) { ...GeneratedText } } ${GENERATED_TEXT}`,
  variables: { prompt: field('prompt') },
  args: GenerateTextArgs,
  result: rootField('generateText'),
  errors: ['AI_NOT_CONFIGURED', 'AI_PROVIDER_FAILED'],
};

export const externalEndpoints = [generateText];
