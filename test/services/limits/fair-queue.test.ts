/** The queues that all clients share: one client that fills its share does not keep the others from being served. */
import { expect } from 'chai';
import { hashing, PasswordHasher } from '../../../src/services/auth/password.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { until } from '../../support/until.js';

describe('The queue for password hashes', () => {
  // With the cost of the service, so that requests arrive faster than their hashes are computed.
  const app = useApp({ TRUST_PROXY: '1' }, { passwordHasher: new PasswordHasher() });

  const login = (email: string, password: string, address: string, signal?: AbortSignal) =>
    fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ email, password }),
      ...(signal && { signal }),
    });
  /** Logins to accounts that do not exist, from one network. */
  const flood = (count: number, address: string, signal?: AbortSignal) =>
    Array.from({ length: count }, (_, index) => login(`flood${index}@example.org`, 'a password', address, signal));

  it('serves another network while one network sends 250 logins at once, and rejects most of those with 429', async () => {
    const { email, password } = await buildMember(app.url);
    let finished = 0;
    // Otherwise the queue could be full only between two looks at it.
    let release = () => {};
    const blocked = occupy(new Promise<void>((resolve) => (release = resolve)));
    const attack = flood(250, '198.51.100.1').map(async (sent) => {
      const response = await sent;
      finished++;
      return response;
    });
    await until(() => hashing.state.waiting >= 32);
    const other = login(email, password, '203.0.113.1');
    release();
    expect((await other).status).to.equal(200);
    expect(finished, 'before the login of the other network').to.be.below(250);
    const responses = await Promise.all(attack);
    await blocked;
    const rejected = responses.filter((response) => response.status === 429);
    expect(rejected).to.not.have.length(0);
    // On a busy machine, some wait for too long.
    const statuses = responses.map(({ status }) => status);
    expect([401, 429, 503]).to.include.members([...new Set(statuses)]);
    for (const { headers } of rejected) expect(Number(headers.get('Retry-After'))).to.be.above(0);
  });

  it('rejects with 429 and Retry-After as soon as 32 logins of the network wait', async () => {
    let release = () => {};
    const blocked = occupy(new Promise<void>((resolve) => (release = resolve)));
    const rejected: Response[] = [];
    const attack = flood(40, '198.51.100.2').map(async (sent) => {
      const response = await sent;
      if (response.status !== 401) rejected.push(response);
    });
    await until(() => rejected.length === 8);
    expect(hashing.state.waiting).to.equal(32);
    release();
    await Promise.all([blocked, ...attack]);
    expect(rejected).to.have.length(8);
    expect(await rejected[0]?.json()).to.include({
      code: 'RATE_LIMITED',
      message: 'Too many logins are being processed: try again in a moment.',
    });
  });

  it('drops the logins of clients that have disconnected', async () => {
    let release = () => {};
    const blocked = occupy(new Promise<void>((resolve) => (release = resolve)));
    const leave = new AbortController();
    const { rejected } = hashing.state;
    const attack = flood(10, '198.51.100.3', leave.signal).map((sent) => sent.catch(() => {}));
    await until(() => hashing.state.waiting === 10);
    leave.abort();
    await Promise.all(attack);
    await until(() => hashing.state.waiting === 0);
    expect(hashing.state.rejected, 'dropped, not rejected').to.equal(rejected);
    release();
    await blocked;
  });
});

/** Occupies all permits until `released`. */
function occupy(released: Promise<void>): Promise<void> {
  return hashing.run({ key: 'test', weight: 100 }, () => released);
}

describe('The queue for archive downloads', () => {
  const app = useApp({ TRUST_PROXY: '1' });

  it('runs four at a time for a network, and serves another network meanwhile', async () => {
    const { runningArchives } = app.services.limits;
    const [greedy, other] = [await buildMember(app.url), await buildMember(app.url)];
    const download = ({ token }: BuiltMember, address: string) =>
      fetch(`${app.url}/api/members/me/archive`, {
        headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address },
      });
    const running = await Promise.all(
      Array.from({ length: 4 }, () => runningArchives.acquire({ key: '198.51.100.1', network: '198.51.100.1' })),
    );
    const waiting = download(greedy, '198.51.100.1');
    await until(() => runningArchives.state.waiting === 1);
    const response = await download(other, '203.0.113.1');
    await response.arrayBuffer();
    expect(response.status).to.equal(200);
    expect(runningArchives.state.waiting, 'of the first network').to.equal(1);
    for (const release of running) release();
    expect((await waiting).status).to.equal(200);
  });
});
