/** Settings of PostgreSQL and Redis. */
import { duration, positive, postgresUrl, redisUrl } from '../values.js';
import { group } from './group.js';

const UNAVAILABLE = { area: 'Database', error: 'SERVICE_UNAVAILABLE' } as const;

export const databaseSettings = group('The database', {
  DATABASE_URL: postgresUrl({
    default: '',
    otherwise: 'the embedded PostgreSQL',
    desc: 'an address such as postgres://user:password@host:5432/name',
    about: 'A PostgreSQL 14 or later of your own. Its tables are made and migrated at the start.',
    isSecret: true,
  }),
  DATABASE_POOL_SIZE: positive({
    default: '10',
    desc: 'a whole number from 1',
    about:
      'Connections that a process holds at most for requests; jobs take five more, and open streams one. All processes together must fit into `max_connections` of PostgreSQL.',
  }),
  DATABASE_POOL_TIMEOUT: duration({
    default: '3s',
    desc: 'a duration such as 3s',
    about: 'How long a statement waits for a connection of the pool.',
    limit: UNAVAILABLE,
  }),
  DATABASE_POOL_WAITING: positive({
    default: '500',
    desc: 'a whole number from 1 to 1000',
    about: 'Statements that wait for a connection of the pool. One more is rejected at once.',
    limit: UNAVAILABLE,
  }),
  DATABASE_LOCK_TIMEOUT: duration({
    default: '5s',
    desc: 'a duration such as 5s',
    about:
      'How long a statement waits for a lock (`lock_timeout` of PostgreSQL). Commands such as `import` have no limit.',
    limit: UNAVAILABLE,
  }),
  REDIS_URL: redisUrl({
    default: '',
    otherwise: 'counts are kept in PostgreSQL',
    desc: 'an address such as redis://host:6379',
    about: 'Counts limits in Redis.',
    isSecret: true,
  }),
});
