module.exports = require('@strapi/strapi').factories.createCoreRouter('api::comment.comment', { only: ['find'] });
