/** Texts in another style, over REST. */
import { type Endpoint, rootField } from './endpoint.js';
import { field, object } from './source.js';

const transformStyle: Endpoint = {
  method: 'POST',
  path: '/articles/transform-style',
  group: 'Style',
  summary: 'Put a text into another style',
  auth: 'bearer',
  status: 200,
  message: 'textStyled',
  body: 'json',
  inPieces: true,
  operation: `mutation ($input: TransformStyleInput!) {
    transformStyle(input: $input) { transformedContent writingStyle: styleName }
  }`,
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
