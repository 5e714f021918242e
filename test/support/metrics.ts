/** Scrapes and parses `/metrics`. */
import { send } from './request.js';

export interface Scraped {
  text: string;
  /** The sum over all series with this name and these labels; 0 if there are none. */
  value(name: string, labels?: Record<string, string>): number;
}

export async function scrape(url: string): Promise<Scraped> {
  const { text } = await send(`${url}/metrics`, 'GET', {});
  return { text, value: (name, labels = {}) => sum(text, name, labels) };
}

/** The increase of the counters while `work` ran; other tests share the counters of the process. */
export async function scrapeGrowth(url: string, work: () => Promise<unknown>): Promise<Scraped['value']> {
  const before = await scrape(url);
  await work();
  const after = await scrape(url);
  return (name, labels) => after.value(name, labels) - before.value(name, labels);
}

function sum(text: string, name: string, labels: Record<string, string>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let total = 0;
  for (const [line] of text.matchAll(new RegExp(`^${name}[ {].*$`, 'gm')))
    if (wanted.every((label) => line.includes(label))) total += Number(line.slice(line.lastIndexOf(' ') + 1));
  return total;
}
