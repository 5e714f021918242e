/** Shared by the floors: pagination and the response. */
import type { ServerResponse } from 'node:http';

export function paginate(number: number, size: number, total: number): object {
  const pages = Math.ceil(total / size);
  return {
    currentPage: number,
    pageSize: size,
    totalElements: total,
    totalPages: pages,
    last: number >= pages,
    first: number === 1 || pages === 0,
  };
}

export function send(response: ServerResponse, status: number, body: string): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
