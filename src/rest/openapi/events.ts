/** Server-Sent Events in the OpenAPI document. OpenAPI 3.1 cannot express their data, so the descriptions do. */
import type { GraphQLSchema } from 'graphql';
import { EVENT_STREAM, eventText } from '../../http/sse.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import type { StreamResult } from '../engine/endpoint.js';
import { exampleOf } from './examples.js';
import type { Json } from './json.js';
import { describeSelection } from './selection.js';

/** The content of a response in chunks, the alternative to the JSON response. @param whole an example of the JSON response */
export function describePieces(whole: Json): Json {
  const delta = eventText({ event: 'delta', data: JSON.stringify({ text: 'Wait until' }) });
  const done = eventText({ event: 'done', data: JSON.stringify(whole) });
  return events(
    'For clients that prefer this media type. Each chunk is a Server-Sent Event named `delta` with `{"text"}` as its ' +
      '`data`. The last event is `done`, with the complete JSON response, which is authoritative, or `error`, with ' +
      'the JSON error response. An error before the first chunk is a regular error response with its status.',
    delta + done,
  );
}

/** The content of an event stream: the description names the schema of the events' data. */
export function describeStream(
  schema: GraphQLSchema,
  compiled: CompiledEndpoint,
  { event }: StreamResult,
  components: Json,
): Json {
  const shape = describeSelection(schema, compiled, components);
  const { $ref } = shape;
  const example = exampleOf(shape, components) as Json;
  const type = String($ref).split('/').at(-1);
  return events(
    `An endless stream of Server-Sent Events. Each event named \`${event}\` has an \`id\`, ` +
      `and its \`data\` is a ${type} (${$ref}) as JSON in one line.`,
    eventText({ event, id: String(example.id), data: JSON.stringify(example) }),
  );
}

function events(description: string, example: string): Json {
  return { [EVENT_STREAM]: { schema: { type: 'string', description }, example } };
}
