// Starts one embedded PostgreSQL for the whole Jest run; reuses PAYCODE_TEST_DATABASE_URL when the caller set it.
const { mkdtempSync, chmodSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

module.exports = async () => {
  if (process.env.PAYCODE_TEST_DATABASE_URL) return;
  const { startEmbeddedPostgres } = await import('../../libs/persistence/src/embedded/embedded-postgres.ts');
  const home = mkdtempSync(join(tmpdir(), 'paycode-test-'));
  chmodSync(home, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), volatile: true, endsWithParent: true });
  process.env.PAYCODE_TEST_DATABASE_URL = postgres.url;
  globalThis.__paycodeTestPostgres = { postgres, home };
};
