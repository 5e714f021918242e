/** The stream of notifications, which the browser reads with its cookies: EventSource cannot send a token. */
import type { APIRoute } from 'astro';
import { TIMEOUT_MS } from '../../lib/service';

export const GET: APIRoute = async ({ request, url, locals: { service } }) => {
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
  // There is no session any more.
  const end = () => new Response('event: end\ndata:\n\n', { headers });
  if (!service.session.isOpen) return end();
  const last = request.headers.get('last-event-id') ?? url.searchParams.get('after');
  // The stream has no time limit, only its beginning. It ends with that of the browser.
  const stop = new AbortController();
  request.signal.addEventListener('abort', () => stop.abort());
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  const upstream = await service.fetch('/api/notifications/stream', () => ({
    headers: last ? { 'Last-Event-ID': last } : {},
    signal: stop.signal,
  }));
  clearTimeout(timer);
  if (upstream.status === 401) return end();
  if (!upstream.ok) return new Response(null, { status: upstream.status });
  const reader = upstream.body?.getReader();
  if (!reader) return new Response(null, { status: 502 });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The end of the service is the end of the stream: the browser opens it again.
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      if (value) controller.enqueue(value);
      else controller.close();
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, { headers });
};
