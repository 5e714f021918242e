module.exports = require('@strapi/strapi').factories.createCoreRouter('api::author.author', { only: ['find'] });
