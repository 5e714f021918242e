/** One-line progress text of an import. */
import type { Progress } from './load.js';

export function describeProgress({ read, size, report }: Progress): string {
  const share = size > 0 ? `${Math.floor((read / size) * 100)} %` : `${Math.floor(read / 1e6)} MB`;
  const count = (kind: 'articles' | 'comments') => (report.added[kind] + report.already(kind)).toLocaleString('en');
  return `Importing: ${share} read, ${count('articles')} articles, ${count('comments')} comments`;
}
