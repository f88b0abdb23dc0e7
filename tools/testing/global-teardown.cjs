const { rmSync } = require('node:fs');

module.exports = async () => {
  const started = globalThis.__paycodeTestPostgres;
  if (!started) return;
  globalThis.__paycodeTestPostgres = undefined;
  delete process.env.PAYCODE_TEST_DATABASE_URL;
  await started.postgres.stop();
  rmSync(started.home, { recursive: true, force: true });
};
