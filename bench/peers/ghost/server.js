/** Ghost in production, on the port of the benchmark. Its code is what the postinstall script of this folder has unpacked. */
const { cpSync } = require('node:fs');
const { join } = require('node:path');

const ghost = join(__dirname, 'node_modules/package');
const content = join(__dirname, '../../../.bench/ghost');
cpSync(join(ghost, 'content'), content, { recursive: true });
Object.assign(process.env, {
  url: `http://127.0.0.1:${process.env.PORT}`,
  server__port: process.env.PORT,
  database__client: 'mysql',
  database__connection__user: 'root',
  database__pool__max: process.env.DATABASE_POOL_SIZE,
  paths__contentPath: content,
  logging__transports: '["stdout"]',
  // Nothing is sent to other hosts.
  privacy__useUpdateCheck: 'false',
  privacy__useGravatar: 'false',
  privacy__useRpcPing: 'false',
});
process.chdir(ghost);
require(join(ghost, 'index.js'));
