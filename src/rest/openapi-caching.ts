/** Conditional GET in the OpenAPI document. */
import type { Endpoint } from './endpoint.js';
import type { Json } from './openapi.js';

/** The header parameters by which a client asks whether its copy is current. */
export function describeConditions({ validator }: Endpoint): Json[] {
  if (!validator) return [];
  const header = (name: string, description: string, example: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
    example,
  });
  return [
    header('If-None-Match', 'Entity tags of copies that the client has. Where one is current, the answer is 304.', '*'),
    header(
      'If-Modified-Since',
      'The Last-Modified of the copy that the client has; counts without If-None-Match only.',
      'Fri, 20 Nov 2026 09:30:00 GMT',
    ),
  ];
}

/** The headers of an answer that may be kept. */
export function describeValidators({ validator }: Endpoint): Json {
  if (!validator) return {};
  const header = (description: string): Json => ({ description, schema: { type: 'string' } });
  return {
    ETag: header('Another one for every state of the answer, weak.'),
    'Last-Modified': header('When what is shown changed last.'),
    'Cache-Control': header('A copy may be kept, and asked about before each use; none of an answer to a token.'),
  };
}

export function describeUnchanged(endpoint: Endpoint, headers: Json): Json {
  if (!endpoint.validator) return {};
  return {
    304: {
      description: "The client's copy is current.",
      headers: { ...headers, ...describeValidators(endpoint) },
    },
  };
}
