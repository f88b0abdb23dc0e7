// One PostgreSQL of the test run (the journeys' external server) and one standalone platform, unless PAYCODE_E2E_HOME names a running one. With
// KAFKA_BROKERS that platform runs on Kafka; the journeys that start one of their own show the PostgreSQL transport.
const { join } = require('node:path');
const startDatabase = require('../../../../tools/prove/testing/global-setup.cjs');

module.exports = async () => {
  await startDatabase();
  if (process.env.PAYCODE_E2E_HOME) return;
  const { patientWindows, PlatformProcess, temporaryFolder } = await import('./platform-process.ts');
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const transport = process.env.KAFKA_BROKERS ? 'kafka' : undefined;
  const env = {
    DATABASE_URL: undefined,
    EVENTS_TRANSPORT: transport,
    GRAFANA_URL: 'https://grafana.example/watch',
    ...patientWindows,
  };
  const platform = new PlatformProcess({ home, env, args: ['--fresh'] });
  globalThis.__paycodeE2ePlatform = { platform, folder };
  await platform.untilReady();
  process.env.PAYCODE_E2E_HOME = home;
};
