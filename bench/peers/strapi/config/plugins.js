module.exports = { 'users-permissions': { config: { jwtSecret: 'benchmark' } } };
