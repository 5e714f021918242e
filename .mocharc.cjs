/** Node 20 optimizes code of the tests later with this option (docs/decisions/tests.md); later versions do not have it, and would not start. */
const nodeOptions = process.versions.node.startsWith('20.') ? ['interrupt-budget=1000000'] : [];

module.exports = {
  'node-option': nodeOptions,
  require: ['dist/test/support/processor-time.js', 'dist/test/support/database.js'],
  reporter: 'dist/test/support/reporter.js',
  parallel: true,
  jobs: 3,
  timeout: 60000,
  exit: false,
};
