/** What every page does in addition with scripts: forms without a reload, endless lists, local times, views, live notifications. */
import { formatTime, type TimeStyle } from '../lib/format';

const texts = document.body.dataset;

interface Result {
  to?: string;
  notice?: string;
  unchanged?: boolean;
  pressed?: boolean;
  count?: number;
}

/** The answer to a form; null if the site cannot be reached. */
export async function post(
  url: string,
  body: FormData,
): Promise<{ status: number; data: Record<string, never> } | null> {
  try {
    const response = await fetch(url, { method: 'POST', body, headers: { Accept: 'application/json' } });
    return { status: response.status, data: await response.json() };
  } catch {
    return null;
  }
}

export function toast(text: string, href?: string): void {
  const box = document.createElement(href ? 'a' : 'p');
  box.textContent = text;
  if (href) (box as HTMLAnchorElement).href = href;
  document.querySelector('.toasts')?.append(box);
  setTimeout(() => box.remove(), 8_000);
}

/** What a failed form says: the reasons of its fields by their labels, or the message. */
export function reasonOf(
  answer: { message?: string; fields?: { field: string; message: string }[] },
  form?: HTMLFormElement,
): string {
  const labelOf = (name: string) =>
    (form?.elements.namedItem(name) as HTMLInputElement | null)?.labels?.[0]?.textContent ?? name;
  const reasons = answer.fields?.map(({ field, message }) => `${labelOf(field)}: ${message}`).join('\n');
  return reasons || answer.message || (texts.offline ?? '');
}

/** Shows times in the zone of the reader. */
function localize(root: ParentNode): void {
  const format = (time: HTMLTimeElement, style?: string) =>
    formatTime(time.dateTime, document.documentElement.lang, style as TimeStyle);
  for (const part of root.querySelectorAll<HTMLElement>('[data-time]')) {
    const time = part.closest('time');
    if (!time) continue;
    part.textContent = format(time, part.dataset.time);
    if (time.title) time.title = format(time, 'time');
  }
}
localize(document);

/** Another page, or this one as it is now. */
function parse(html: string): Document {
  const page = new DOMParser().parseFromString(html, 'text/html');
  localize(page);
  return page;
}

/** Replaces the parts of this page that a form has changed. */
export async function reloadParts(): Promise<void> {
  const response = await fetch(location.href).catch(() => null);
  if (!response) return;
  const fresh = parse(await response.text());
  // An article that was removed meanwhile stays, since the reader may be in the middle of it.
  for (const part of document.querySelectorAll('[data-part]')) {
    // Nor is a part replaced in which something else is being typed.
    const inputs = [...part.querySelectorAll<HTMLTextAreaElement>('textarea, input:not([type=hidden])')];
    if (inputs.some(({ value, defaultValue }) => value !== defaultValue)) continue;
    const next = fresh.getElementById(part.id);
    if (next) part.replaceWith(document.adoptNode(next));
  }
}

document.addEventListener('submit', async (event) => {
  const form = event.target as HTMLFormElement;
  const isToggle = form.dataset.toggle !== undefined;
  if (event.defaultPrevented || (!isToggle && form.dataset.action === undefined)) return;
  event.preventDefault();
  const button = form.querySelector('button');
  const output = form.querySelector('output');
  if (!button || button.ariaBusy === 'true' || (form.dataset.confirm && !confirm(form.dataset.confirm))) return;
  button.ariaBusy = 'true';
  const answer = await post(form.action, new FormData(form));
  button.ariaBusy = null;
  if (output) output.textContent = '';
  if (!answer || answer.status >= 400) {
    // What was typed stays in the form.
    if (output) output.textContent = answer ? reasonOf(answer.data, form) : (texts.offline ?? '');
    return;
  }
  const { to, notice, unchanged, pressed, count } = answer.data as Result;
  if (to) {
    location.href = to;
    return;
  }
  if (notice) toast(notice);
  if (!isToggle) {
    form.reset();
    form.closest('details')?.removeAttribute('open');
    if (!unchanged) await reloadParts();
    return;
  }
  button.ariaPressed = String(pressed);
  const text = form.querySelector('[data-text]');
  if (text) text.textContent = (pressed ? button.dataset.pressed : button.dataset.label) ?? '';
  const name = form.dataset.toggle ?? '';
  (form.elements.namedItem('do') as HTMLInputElement).value = pressed ? `un-${name}` : name;
  const number = form.querySelector('[data-count]');
  if (number && count !== undefined) number.textContent = String(count);
});

/** Lists that continue when their end is near. The link to the next page stays for keyboards, and for when it fails. */
function continueList(link: HTMLAnchorElement): void {
  const label = link.textContent;
  let isLoading = false;
  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    link.ariaBusy = 'true';
    link.textContent = link.dataset.loading ?? '';
    const response = await fetch(link.href).catch(() => null);
    link.ariaBusy = null;
    isLoading = false;
    if (!response?.ok) {
      link.textContent = link.dataset.failed ?? '';
      observer.disconnect();
      return;
    }
    const fresh = parse(await response.text());
    for (const entry of fresh.querySelectorAll('[data-scroll] > li')) {
      // A new article moves the others to later pages.
      if (!document.getElementById(entry.id))
        document.querySelector('[data-scroll]')?.append(document.adoptNode(entry));
    }
    const next = fresh.querySelector<HTMLAnchorElement>('[data-next]');
    if (!next) {
      observer.disconnect();
      link.remove();
      return;
    }
    link.href = next.href;
    link.textContent = label;
    observer.unobserve(link);
    observer.observe(link);
  }
  const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), { rootMargin: '600px' });
  // The first continuation is asked for, so that the end of the page can be reached.
  link.addEventListener('click', (event) => {
    event.preventDefault();
    observer.observe(link);
    load();
  });
}
const next = document.querySelector<HTMLAnchorElement>('[data-next]');
if (next) continueList(next);

const viewed = document.querySelector<HTMLElement>('[data-view]')?.dataset.view;
if (viewed) {
  const body = new FormData();
  body.append('do', 'view');
  body.append('id', viewed);
  const headers = { Accept: 'application/json' };
  const send = () => fetch('/action', { method: 'POST', body, headers, keepalive: true }).catch(() => {});
  // Chrome may run a page before the reader opens it.
  if ('prerendering' in document && document.prerendering)
    document.addEventListener('prerenderingchange', send, { once: true });
  else send();
}

/** One tab holds the stream, and tells the others: browsers open only six connections to a site over HTTP/1.1. */
if (texts.live !== undefined) {
  const channel = new BroadcastChannel('notifications');
  const show = ({ message }: { message: string }) => {
    toast(message, '/notifications');
    const bell = document.querySelector<HTMLElement>('.bell');
    const count = bell?.querySelector<HTMLElement>('[data-unread]');
    if (bell && count) {
      // Its name has the number that the badge shows up to 99.
      const unread = Number(/\d+/.exec(bell.ariaLabel ?? '')) + 1;
      bell.ariaLabel = (bell.ariaLabel ?? '').replace(/\d+/, String(unread));
      count.textContent = String(Math.min(unread, 99));
      count.hidden = false;
    }
    if (document.querySelector('[data-live-list]')) reloadParts();
  };
  channel.addEventListener('message', ({ data }) => show(data));
  function listen(after: string): void {
    let last = after;
    const source = new EventSource(`/notifications/stream?after=${after}`);
    source.addEventListener('notification', ({ data, lastEventId }) => {
      last = lastEventId;
      const one = JSON.parse(data);
      channel.postMessage(one);
      show(one);
    });
    source.addEventListener('end', () => source.close());
    // The browser opens a broken stream again itself, but not after an error status, such as while the service is down.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5_000, last);
    });
  }
  navigator.locks.request('notifications', () => {
    listen('');
    // Until the tab is closed.
    return new Promise(() => {});
  });
}
