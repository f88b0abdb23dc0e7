// A folder for what tests write, and one embedded PostgreSQL for the whole Jest run; reuses PAYCODE_TEST_DATABASE_URL when the caller set it.
const { join } = require('node:path');

module.exports = async () => {
  const { openRunFolder } = await import('./run-folder.ts');
  // The folder is marked with this process, so that the next run removes it if this one is killed.
  const home = openRunFolder();
  process.env.PAYCODE_TEST_FOLDER = home;
  globalThis.__paycodeTest = { home };
  if (process.env.PAYCODE_TEST_DATABASE_URL) return;
  const { startEmbeddedPostgres } = await import('../../../libs/persistence/src/embedded/embedded-postgres.ts');
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), volatile: true, endsWithParent: true });
  process.env.PAYCODE_TEST_DATABASE_URL = postgres.url;
  globalThis.__paycodeTest = { postgres, home };
};
