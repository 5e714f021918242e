/** The stream of notifications, which the browser reads with its cookies: EventSource cannot send a token. */
import type { APIRoute } from 'astro';

export const GET: APIRoute = async ({ request, locals: { service } }) => {
  // 204 ends the EventSource: there is no session any more.
  if (!service.session.isOpen) return new Response(null, { status: 204 });
  const last = request.headers.get('last-event-id');
  const upstream = await service.fetch('/api/notifications/stream', () => ({
    headers: last ? { 'Last-Event-ID': last } : {},
    // Without the time limit of other requests; the stream ends with that of the browser.
    signal: request.signal,
  }));
  if (!upstream.ok) return new Response(null, { status: upstream.status === 401 ? 204 : upstream.status });
  return new Response(upstream.body, { headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' } });
};
