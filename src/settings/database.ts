/** Settings: where rows and counts are kept. */
import { positive, postgresUrl, redisUrl } from '../config-values.js';
import { group } from './group.js';

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
  REDIS_URL: redisUrl({
    default: '',
    otherwise: 'counts are kept in PostgreSQL',
    desc: 'an address such as redis://host:6379',
    about: 'Counts limits in Redis.',
    isSecret: true,
  }),
});
