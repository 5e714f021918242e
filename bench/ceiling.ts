/** The ceiling (upper bound): node:http that sends the responses of the floor from memory, after the first request of each page. */
import { createServer } from 'node:http';
import { send } from './floor-server.js';

const pages = new Map<string, string>();

createServer((request, response) => {
  const path = request.url ?? '';
  const page = pages.get(path);
  if (page !== undefined) return send(response, 200, page);
  fetchPage(path).then(
    (text) => send(response, 200, text),
    (error: Error) => send(response, 500, JSON.stringify({ message: error.message })),
  );
}).listen(Number(process.env.PORT), '127.0.0.1');

async function fetchPage(path: string): Promise<string> {
  const response = await fetch(`${process.env.FLOOR_URL}${path}`);
  if (!response.ok) throw new Error(`The floor responded with ${response.status}.`);
  const text = await response.text();
  pages.set(path, text);
  return text;
}
