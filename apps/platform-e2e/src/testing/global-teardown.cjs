const { rmSync } = require('node:fs');
const stopDatabase = require('../../../../tools/prove/testing/global-teardown.cjs');

module.exports = async () => {
  const started = globalThis.__paycodeE2ePlatform;
  if (started) {
    await started.platform.stop();
    rmSync(started.folder, { recursive: true, force: true });
    delete process.env.PAYCODE_E2E_HOME;
  }
  await stopDatabase();
};
