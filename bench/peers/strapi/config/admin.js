module.exports = {
  auth: { secret: 'benchmark' },
  apiToken: { salt: 'benchmark' },
  transfer: { token: { salt: 'benchmark' } },
  serveAdminPanel: false,
};
