// One PostgreSQL of the test run (the journeys' external server) and one standalone platform, unless PAYCODE_E2E_HOME names a running one.
const { join } = require('node:path');
const startDatabase = require('../../../../tools/testing/global-setup.cjs');

module.exports = async () => {
  await startDatabase();
  if (process.env.PAYCODE_E2E_HOME) return;
  const { PlatformProcess, temporaryFolder } = await import('./platform-process.ts');
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const env = { DATABASE_URL: undefined, EVENTS_TRANSPORT: undefined };
  const platform = new PlatformProcess({ home, env });
  globalThis.__paycodeE2ePlatform = { platform, folder };
  await platform.untilReady();
  process.env.PAYCODE_E2E_HOME = home;
};
