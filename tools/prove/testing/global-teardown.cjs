const { rmSync } = require('node:fs');

module.exports = async () => {
  const started = globalThis.__paycodeTest;
  if (!started) return;
  globalThis.__paycodeTest = undefined;
  delete process.env.PAYCODE_TEST_FOLDER;
  if (started.postgres) {
    delete process.env.PAYCODE_TEST_DATABASE_URL;
    await started.postgres.stop();
  }
  rmSync(started.home, { recursive: true, force: true });
};
