/** Dates, languages of texts, and values of forms. */
import type { Language } from './texts';

/** Times of the service are in UTC, without a zone. */
export const isoOf = (time: string) => (/Z$/.test(time) ? time : `${time}Z`);

const STYLES = {
  date: { dateStyle: 'long' },
  time: { dateStyle: 'medium', timeStyle: 'short' },
  day: { day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
  longMonth: { year: 'numeric', month: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeStyle = keyof typeof STYLES;

/** @param timeZone without it, the zone of the browser */
export function formatTime(time: string, language: string, style: TimeStyle, timeZone?: 'UTC'): string {
  const options = { ...STYLES[style], ...(timeZone && { timeZone }) };
  const text = new Intl.DateTimeFormat(language, options).format(new Date(isoOf(time)));
  return style === 'time' && timeZone ? `${text} ${timeZone}` : style === 'day' ? text.replace('일', '') : text;
}

export const monthName = (year: number, month: number, language: Language) =>
  formatTime(`${year}-${String(month).padStart(2, '0')}-01T00:00:00`, language, 'longMonth', 'UTC');

const RTL = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg'];

/** The attributes of an element with a text of a member: its language, else the one that its script suggests, and its direction. */
export function textAttributes(text: string, language?: string | null): { lang?: string; dir: 'ltr' | 'rtl' } {
  if (language) {
    const { script = '' } = new Intl.Locale(language).maximize();
    return { lang: language, dir: RTL.includes(script) ? 'rtl' : 'ltr' };
  }
  const letters = text.match(/\p{L}/gu) ?? [];
  const share = (script: RegExp) => letters.filter((letter) => script.test(letter)).length / (letters.length || 1);
  if (share(/\p{Script=Hangul}/u) > 0.3) return { lang: 'ko', dir: 'ltr' };
  if (share(/\p{Script=Hebrew}/u) > 0.3) return { lang: 'he', dir: 'rtl' };
  if (share(/\p{Script=Arabic}/u) > 0.3) return { lang: 'ar', dir: 'rtl' };
  if (share(/[\p{Script=Hiragana}\p{Script=Katakana}]/u) > 0.2) return { lang: 'ja', dir: 'ltr' };
  return share(/\p{Script=Latin}/u) > 0.5 ? { lang: 'en', dir: 'ltr' } : { dir: 'ltr' };
}

/** The name of a language, in itself. */
export const nameOf = (language: string) =>
  new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;

export const articleUrl = (slug: string) => `/articles/${encodeURIComponent(slug)}`;
/** Which page has the comment is looked up when the link is opened, since it changes. */
export const commentUrl = (slug: string, id: string) => `${articleUrl(slug)}?comment=${id}#comment-${id}`;

/** A field of a form. Browsers send line breaks as CRLF. */
export const field = (form: FormData, name: string) => String(form.get(name) ?? '').replaceAll('\r\n', '\n');

/** The number of a page, in its address. */
export const numberIn = (url: URL, name = 'page') => Math.max(Number(url.searchParams.get(name)) || 1, 1);

/** For redirects and links: a path of this site, or `/` in place of what a browser or proxy might read as an address of another one. */
export function ownPath(path: string | null | undefined): string {
  const site = 'http://site';
  const url = path?.startsWith('/') && URL.canParse(path, site) ? new URL(path, site) : null;
  // No empty parts, backslashes and control characters, which some readers of addresses drop or change, and none of them encoded.
  const isPlain = url?.origin === site && /^(\/([\w.~-]|%[89a-f][\da-f])+)*\/?$/i.test(url.pathname);
  return isPlain ? url.pathname + url.search + url.hash : '/';
}
