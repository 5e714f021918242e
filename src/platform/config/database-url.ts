/** Database URLs with several hosts, as in libpq: `postgres://user:password@a:5432,b:5432/name?target_session_attrs=read-write`. */

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]+)(.*)$/s;
const TARGET = 'target_session_attrs';

/** @returns a URL for each host, in order, without `target_session_attrs`: the service always needs a host that accepts writes */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => {
    const one = new URL(before + host + after);
    one.searchParams.delete(TARGET);
    return one.href;
  });
}

/** Whether each host is valid, and writes are not excluded. */
export function isDatabaseUrl(url: string): boolean {
  try {
    const [, , , after = ''] = PARTS.exec(url) ?? [];
    const target = new URLSearchParams(after.split('?')[1]).get(TARGET) ?? 'any';
    const urls = hostUrls(url).map((one) => new URL(one));
    const isPostgres = urls.every(({ protocol }) => protocol === 'postgres:' || protocol === 'postgresql:');
    const isComplete = urls.length === 1 || urls.every(({ hostname }) => hostname !== '');
    return isPostgres && isComplete && (target === 'any' || target === 'read-write');
  } catch {
    return false;
  }
}

/** Hosts and database for messages, without user and password. */
export function describeDatabaseUrl(url: string): string {
  const urls = hostUrls(url).map((one) => new URL(one));
  return urls.map(({ hostname, port }) => `${hostname}:${port || 5432}`).join(',') + (urls[0]?.pathname ?? '');
}
