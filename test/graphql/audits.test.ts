/** The audits of graphql-http, which check that a server follows the GraphQL over HTTP specification. */
import { expect } from 'chai';
import { serverAudits } from 'graphql-http';
import { useApp } from '../support/app.js';

const app = useApp();

describe('GraphQL over HTTP audits', () => {
  const audits = serverAudits({ url: () => `${app.url}/graphql`, fetchFn: fetch });

  it('are all run: 61', () => {
    expect(audits).to.have.lengthOf(61);
  });

  for (const { id, name, fn } of audits) {
    it(`${id} ${name}`, async () => {
      expect(await fn()).to.include({ status: 'ok' });
    });
  }
});
