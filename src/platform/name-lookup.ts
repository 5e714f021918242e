/**
 * Look-ups of the host names to which requests are sent. `dns.lookup` occupies a thread until the name server responds, and all of its look-ups in the
 * process share two threads, also those of the database. Therefore a name is looked up in the hosts file, then at the name servers, which occupies no
 * thread and can be canceled, and only a name that they do not know with `dns.lookup` (search domains, mDNS), one name at a time.
 */
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { fixedLimit } from './config/fixed-limit.js';

const TIMEOUT_MS = fixedLimit({
  area: 'HTTP',
  about: 'Time of a look-up of the name of a host to which the service connects. Then the connection fails.',
  value: 10_000,
  unit: 'ms',
  error: null,
});
const QUERY_TIMEOUT_MS = fixedLimit({
  area: 'HTTP',
  about:
    'Time in which a name server has to respond to the first of at most 3 queries of a look-up; it is longer for the others.',
  value: 2_000,
  unit: 'ms',
  error: null,
});

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** @throws the reason of the signal; an error with the code EAI_AGAIN if no name server responds in time; those of `dns.lookup` */
export async function addressesOf(name: string, signal?: AbortSignal | null): Promise<LookupAddress[]> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const end = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    return (await findListed(name)) ?? (await askNameServers(name, end)) ?? (await askSystem(name, end));
  } catch (error) {
    signal?.throwIfAborted();
    throw timeout.aborted || hasNoAnswer(error) ? new NameServerError(name) : error;
  }
}

class NameServerError extends Error {
  /** As of `dns.lookup`. */
  readonly code = 'EAI_AGAIN';

  constructor(name: string) {
    super(`the name servers do not respond for ${name}`);
  }
}

/** For connections, to one or all of the addresses that are found. */
export function lookupFrom(find: (name: string) => Promise<LookupAddress[]>): LookupFunction {
  return (name, { all }, callback) => {
    find(name).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => callback(error, ''),
    );
  };
}

export const lookupName = lookupFrom(addressesOf);

/**
 * Before requests of libraries that look up names themselves: their look-ups do not begin while the name servers do not respond.
 * @param hostname of a URL, or a host
 * @throws the reason of the signal; an error with the code EAI_AGAIN
 */
export async function awaitNameServer(hostname: string, signal?: AbortSignal | null): Promise<void> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return;
  await addressesOf(hostname, signal).catch((error) => {
    if (signal?.aborted || error instanceof NameServerError) throw error;
  });
}

/** @returns null if it has none of this name */
async function findListed(name: string): Promise<LookupAddress[] | null> {
  const lines = (await readFile(HOSTS_FILE, 'utf8').catch(() => '')).split('\n');
  const fields = lines.map((line) => line.toLowerCase().replace(/#.*/, '').trim().split(/\s+/));
  const found = fields.flatMap(([address = '', ...names]) => (names.includes(name.toLowerCase()) ? [address] : []));
  const addresses = found.map((address) => ({ address, family: isIP(address) })).filter(({ family }) => family !== 0);
  return addresses.length > 0 ? addresses : null;
}

/** @returns null if they respond that there is no such name. @throws if they do not respond, unless one family of addresses is known */
async function askNameServers(name: string, end: AbortSignal): Promise<LookupAddress[] | null> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 3 });
  const cancel = () => resolver.cancel();
  end.addEventListener('abort', cancel);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  end.removeEventListener('abort', cancel);
  const found = [v4, v6].flatMap((result, index) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  );
  if (found.length > 0) return found;
  const silence = [v4, v6].find((result) => result.status === 'rejected' && hasNoAnswer(result.reason));
  if (silence?.status === 'rejected') throw silence.reason;
  return null;
}

function hasNoAnswer(error: unknown): boolean {
  return ['ETIMEOUT', 'ECANCELLED', 'ESERVFAIL'].includes((error as NodeJS.ErrnoException).code ?? '');
}

let last: Promise<unknown> = Promise.resolve();

/** After those before it. */
function askSystem(name: string, end: AbortSignal): Promise<LookupAddress[]> {
  const found = last.then(() => {
    end.throwIfAborted();
    return lookup(name, { all: true });
  });
  last = found.catch(() => {});
  const ended = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(end.reason), { once: true });
  });
  return Promise.race([found, ended]);
}
