/** Texts in another style, over REST. */
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { field, object } from '../engine/source.js';
import { STYLED_TEXT } from './shapes.js';

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
  auth: 'bearer',
  status: 200,
  message: 'textGenerated',
  body: 'json',
  streamable: true,
  operation: `mutation ($input: TransformStyleInput!) { transformStyle(input: $input) { ...StyledText } } ${STYLED_TEXT}`,
  variables: {
    input: object({
      content: field('content'),
      writingStyle: field('writingStyle'),
      customStyleId: field('customStyleId'),
    }),
  },
  result: rootField('transformStyle'),
  errors: ['AI_NOT_CONFIGURED', 'AI_PROVIDER_FAILED', 'STYLE_NOT_FOUND'],
};

export const styleEndpoints = [transformStyle];
