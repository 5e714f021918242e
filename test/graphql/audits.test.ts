/** The audits of graphql-http, which check that a server follows the GraphQL over HTTP specification. */
import { expect } from 'chai';
import { serverAudits } from 'graphql-http';
import { useApp } from '../support/app.js';

/** Audits that are recommendations (SHOULD) and are not followed. The reason is in docs/decisions/graphql-over-http.md. */
const EXCEPTIONS: Record<string, string> = {
  '572B': 'A document that does not parse is 400 BAD_REQUEST for application/json too.',
  FDE2: 'A document that does not validate is 400 BAD_REQUEST for application/json too.',
  '7B9B': 'The audit declares a variable without using it, which does not validate: 400 BAD_REQUEST.',
};

const app = useApp();

describe('GraphQL over HTTP audits', () => {
  const audits = serverAudits({ url: () => `${app.url}/graphql`, fetchFn: fetch });

  it('are all run: 61', () => {
    expect(audits).to.have.lengthOf(61);
  });

  for (const { id, name, fn } of audits) {
    it(`${id} ${name}${EXCEPTIONS[id] ? ', which is not followed' : ''}`, async () => {
      const result = await fn();
      if (!EXCEPTIONS[id]) expect(result).to.include({ status: 'ok' });
      // Fails for an exception that is no longer needed.
      else expect(result.status).to.equal('warn');
    });
  }
});
