const { DATABASE_URL: connectionString, DATABASE_POOL_SIZE: size } = process.env;

module.exports = {
  connection: {
    client: 'postgres',
    connection: { connectionString, schema: 'strapi' },
    pool: { min: 0, max: Number(size) },
  },
};
