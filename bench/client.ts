/** Requests of members who write in a benchmark. */

/** Settings of a service that limits none of them. */
export const WRITE_SETTINGS = {
  LIMIT_WRITES: '1000000000/1d',
  LIMIT_WRITE_BYTES: '1GB/1m',
  LIMIT_REGISTER: '1000/1h',
};

/** @returns an access token */
export async function register(url: string, name: string): Promise<string> {
  const account = { email: `${name}@example.org`, password: 'a password of the benchmark' };
  await send(url, 'POST /api/auth/register', { ...account, memberName: name });
  return (await send(url, 'POST /api/auth/login', account)).accessToken;
}

/** @param target such as `GET /api/articles/1` @returns the data @throws Error for a response without success */
// biome-ignore lint/suspicious/noExplicitAny: the responses are those of the service.
export async function send(url: string, target: string, json?: object, token?: string): Promise<any> {
  const [method = '', path = ''] = target.split(' ');
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(json) ?? null });
  const { message, data } = (await response.json()) as { message: string; data: object };
  if (!response.ok) throw new Error(`${target}: ${response.status} ${message}`);
  return data;
}
