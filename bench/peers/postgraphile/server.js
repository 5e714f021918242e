/** PostGraphile 5 with the Amber preset. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL: connectionString, DATABASE_POOL_SIZE: max, PORT: port } = process.env;
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // It requires an index for all rows on each relation; the index on parent_id contains replies only.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, poolConfig: { max: Number(max) } })],
  grafserv: { graphiql: false, graphqlOverGET: true, watch: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(port), '127.0.0.1');
