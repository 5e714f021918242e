import { expect } from 'chai';
import { connectionOf } from '../../../src/platform/database/internals.js';
import { ObservedClient } from '../../../src/platform/database/observed-client.js';
import { statement } from '../../../src/platform/database/statement.js';
import { useApp } from '../../support/app.js';

const app = useApp();

describe('A prepared statement', () => {
  let client: ObservedClient;
  let descriptions = 0;
  beforeEach(async () => {
    client = new ObservedClient({ connectionString: app.database.url });
    await client.connect();
    descriptions = 0;
    connectionOf(client).on('rowDescription', () => descriptions++);
  });
  afterEach(() => client.end());

  const failureOf = (run: Promise<unknown>) => run.then(() => null).catch((error: Error) => error);
  const pairs = statement<[from: number], { id: number; name: string | null }>(
    'prepared_pairs',
    "select n as id, nullif('', case n when 1 then '' else 'two' end) as name from generate_series($1::int, 2) n",
  );

  it('asks for the columns of its rows only once on a connection', async () => {
    for (const [from, names] of [
      [1, [null, '']],
      [2, ['']],
      [3, []],
    ] as const) {
      const rows = await client.execute(pairs, [from]);
      expect(rows).to.deep.equal(names.map((name, index) => ({ id: from + index, name })));
    }
    expect(descriptions).to.equal(1);
  });

  it('may be sent again before its first execution has ended', async () => {
    const rows = await Promise.all([1, 2].map((from) => client.execute(pairs, [from])));
    expect(rows.map((of) => of.length)).to.deep.equal([2, 1]);
  });

  it('without a name may have other columns each time', async () => {
    for (const name of ['one', 'two']) {
      const unnamed = { ...pairs, name: '', text: `select $1::int as ${name}` };
      expect(await client.execute(unnamed, [1])).to.deep.equal([{ [name]: 1 }]);
    }
  });

  it('may have no rows', async () => {
    const change = statement<[]>('prepared_change', 'update members set nickname = nickname where false');
    for (let run = 0; run < 2; run++) expect(await client.execute(change, [])).to.deep.equal([]);
  });

  it('that fails leaves the connection as it was', async () => {
    const quotient = statement<[by: number], { value: number }>('prepared_quotient', 'select 6 / $1::int as value');
    expect(await failureOf(client.execute(quotient, [0]))).to.include({ code: '22012' });
    expect(await client.execute(quotient, [2])).to.deep.equal([{ value: 3 }]);
    const invalid = {
      toPostgres: () => {
        throw new RangeError('not a parameter');
      },
    };
    expect(await failureOf(client.execute(quotient, [invalid]))).to.be.instanceOf(RangeError);
    expect(await client.execute(quotient, [3])).to.deep.equal([{ value: 2 }]);
  });

  it('has a name of its own', async () => {
    await client.execute(statement('prepared_name', 'select 1 as one'), []);
    const other = statement('prepared_name', 'select 2 as two');
    expect((await failureOf(client.execute(other, [])))?.message).to.include('prepared_name');
    expect(await client.execute(pairs, [3])).to.deep.equal([]);
  });

  it('that was deallocated is parsed again', async () => {
    await client.execute(pairs, [1]);
    await client.deallocate(pairs.name);
    expect(await client.execute(pairs, [2])).to.have.lengthOf(1);
    expect(descriptions).to.equal(2);
  });
});
