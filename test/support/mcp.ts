/** Clients of `/mcp`: that of the SDK, and single messages. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The current version, and the last one of the clients of 2025. */
export type Era = '2026-07-28' | '2025-11-25';

export interface CallResult {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the result.
  data: any;
}

export interface Agent {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<CallResult>;
}

/** A client that is closed after the tests of the calling `describe`. */
export async function connectAgent(url: string, token?: string, era: Era = '2026-07-28'): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  // With the schemas of the list, the client rejects results that do not match them.
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallResult> => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
    const [first] = content;
    return { isError, text: first?.type === 'text' ? first.text : '', data: structuredContent };
  };
  return { client, call };
}

export interface Message {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the message.
  readonly body: any;
}

/** Sends a message as a client of 2025 does. @param body an object, or a text as it is */
export async function sendMessage(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Message> {
  const response = await fetch(new URL('/mcp', url), {
    method,
    headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json', ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  const [, data = text] = (isStream && /^data: (.*)$/m.exec(text)) || [];
  return { status: response.status, headers: response.headers, body: data === '' ? null : JSON.parse(data) };
}
