/** PostGraphile 5 with the Amber preset. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';

const { DATABASE_URL: connectionString, DATABASE_POOL_SIZE: max, PORT: port } = process.env;
/** Public articles are a view, of which PostgreSQL knows no primary key, and triggers check in place of foreign keys what comments refer to. */
const keys = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      'public.articles': {
        tags: {
          primaryKey: 'id',
          foreignKey: ['(member_id) references members (id)', '(category_id) references categories (id)'],
        },
      },
      'public.article_slugs': { tags: { foreignKey: '(article_id) references articles (id)' } },
      'public.comments': {
        tags: { foreignKey: ['(article_id) references articles (id)', '(member_id) references members (id)'] },
      },
    },
  },
});
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [keys],
  // It requires an index for all rows on each relation; the index on parent_id contains replies only.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, poolConfig: { max: Number(max) } })],
  grafserv: { graphiql: false, graphqlOverGET: true, watch: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(port), '127.0.0.1');
