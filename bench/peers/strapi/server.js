/** Strapi 5 without its administration panel. Visitors may read all content types. */
const { mkdirSync } = require('node:fs');
const { join } = require('node:path');
const { createStrapi } = require('@strapi/strapi');

const ACTIONS = ['article', 'author', 'category', 'comment'].map((type) => `api::${type}.${type}.find`);

async function start() {
  mkdirSync(join(__dirname, '../../../.bench/strapi/uploads'), { recursive: true });
  const strapi = await createStrapi({ appDir: __dirname, distDir: __dirname, serveAdminPanel: false }).load();
  const permissions = strapi.db.query('plugin::users-permissions.permission');
  const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  for (const action of ACTIONS) {
    const data = { action, role: role.id };
    if ((await permissions.count({ where: data })) === 0) await permissions.create({ data });
  }
  await strapi.listen();
}

start();
