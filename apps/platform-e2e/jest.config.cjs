const preset = require('../../jest.preset.cjs');

// Journeys share one platform: it is started once per run, and each journey makes merchants of its own on it.
module.exports = {
  ...preset.projectConfig(__dirname),
  globalSetup: require.resolve('./src/testing/global-setup.cjs'),
  setupFilesAfterEnv: [require.resolve('./src/testing/journey-timeout.cjs')],
  globalTeardown: require.resolve('./src/testing/global-teardown.cjs'),
};
