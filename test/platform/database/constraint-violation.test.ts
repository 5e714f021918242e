/** Constraint violations: the pool throws the error of the violated rule. */
import { expect } from 'chai';
import { SET_NOTIFICATION } from '../../../src/models/notification/notification.js';
import { useApp } from '../../support/app.js';

const app = useApp();

/** No member has the id 0. */
const VALUES: [number, 'COMMENT', boolean, null, false] = [0, 'COMMENT', true, null, false];

describe('A violation of a listed constraint', () => {
  const keyOf = (work: Promise<unknown>) => work.catch(({ key }) => key);

  it('is the AppError of its rule, for a statement outside a transaction', async () => {
    expect(await keyOf(app.database.query(SET_NOTIFICATION, VALUES))).to.equal('UNAUTHENTICATED');
  });

  it('is the AppError of its rule, at the end of a transaction', async () => {
    const work = app.database.transaction((db) => db.query(SET_NOTIFICATION, VALUES));
    expect(await keyOf(work)).to.equal('UNAUTHENTICATED');
  });
});
