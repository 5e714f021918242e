/** Reads `/metrics` as Prometheus does. */

export interface Scraped {
  text: string;
  /** The sum over all series of that name which have these labels; 0 where there are none. */
  value(name: string, labels?: Record<string, string>): number;
}

export async function scrape(url: string): Promise<Scraped> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return { text, value: (name, labels = {}) => sum(text, name, labels) };
}

function sum(text: string, name: string, labels: Record<string, string>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
