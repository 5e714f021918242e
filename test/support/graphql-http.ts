/** GraphQL over HTTP with any method, headers and body, and the whole response. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests examine arbitrary response bodies.
  json: any;
}

export async function fetchGraphQL(url: string, init: RequestInit, search = ''): Promise<Reply> {
  const response = await fetch(`${url}/graphql${search}`, init);
  const text = await response.text();
  const json = text.startsWith('{') ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, json };
}

export function postGraphQL(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetchGraphQL(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: text });
}

export const codesOf = ({ json }: Reply) =>
  json.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
