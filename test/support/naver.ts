/** A small server with the login API of NAVER, according to its published documentation. */
import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from './server.js';

export interface NaverServer {
  address: string;
  /** Profiles of single-use authorization codes, by code. */
  codes: Map<string, Record<string, unknown>>;
  /** The forms received by the token endpoint. */
  tokenRequests: URLSearchParams[];
  close(): Promise<void>;
}

export async function startNaver(client: { id: string; secret: string }): Promise<NaverServer> {
  const codes = new Map<string, Record<string, unknown>>();
  const tokens = new Map<string, Record<string, unknown>>();
  const tokenRequests: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://naver');
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json;charset=utf-8' }).end(JSON.stringify(body));
    if (pathname === '/oauth2.0/token') {
      const form = new URLSearchParams(await bodyOf(request));
      tokenRequests.push(form);
      const profile = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret) {
        return send(200, { error: 'unauthorized_client', error_description: 'wrong client id / client secret pair' });
      }
      if (!profile) return send(200, { error: 'invalid_request', error_description: 'no valid data in session' });
      const token = `token-${tokenRequests.length}`;
      tokens.set(token, profile);
      return send(200, { access_token: token, refresh_token: 'r', token_type: 'bearer', expires_in: '3600' });
    }
    const profile = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (pathname !== '/v1/nid/me' || !profile) {
      return send(401, { resultcode: '024', message: 'Authentication failed (인증 실패하였습니다.)' });
    }
    return send(200, profile.resultcode ? profile : { resultcode: '00', message: 'success', response: profile });
  });
  const address = `http://127.0.0.1:${await listen(server)}`;
  return { address, codes, tokenRequests, close: () => closeServer(server) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
