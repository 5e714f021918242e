/** Processes of the service behind nginx, with the provided configuration. */
import { expect } from 'chai';
import { type BuiltArticle, buildArticle, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { describeFault } from '../support/faults.js';
import { type Nginx, startNginx } from '../support/nginx.js';
import { type RunningService, startService } from '../support/process.js';
import { describeWith } from '../support/programs.js';
import { requestDuring, restartServices } from '../support/rolling-restart.js';

describeWith(['nginx-light'], 'Two processes behind nginx', function () {
  this.timeout(60_000);
  let services: RunningService[] = [];
  let nginx: Nginx;
  let database: string;
  let article: BuiltArticle;
  const environment = {
    TRUST_PROXY: '1',
    LIMIT_WRITES: '1000000/1h',
    // As in deploy/daybook@.service: longer than the time for which nginx keeps idle connections.
    SHUTDOWN_DELAY: '5s',
  };
  const withWorkers = { ...environment, WORKERS: '2' };

  before(async () => {
    database = await freshDatabase('behind_nginx');
    services = await Promise.all([startService(database, environment), startService(database, withWorkers)]);
    const [one = '', two = ''] = services.map(({ url }) => new URL(url).port);
    nginx = await startNginx([one, two]);
    article = await buildArticle(nginx.url);
  });
  after(async () => {
    await nginx.stop();
    await Promise.all(services.map(({ stop }) => stop()));
  });

  it('accept the session of a member of each other', async () => {
    const member = await buildMember(nginx.url);
    for (let round = 0; round < 4; round++) {
      expect((await call(nginx.url, 'GET /api/members/me', { token: member.token })).status).to.equal(200);
    }
    expect((await graphql(nginx.url, '{ me { email } }', {}, member.token)).data.me.email).to.equal(member.email);
  });

  describeFault('nginx-restart', function (measured) {
    this.timeout(180_000);
    it('loses no request while its processes are restarted one after the other, without and with workers', async () => {
      // Each kind is stopped once, and started once.
      const restart = () => restartServices(services, database, [withWorkers, environment]);
      measured(await requestDuring(restart, nginx.url, article));
    });
  });
});
