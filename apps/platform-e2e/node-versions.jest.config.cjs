// Tests the packages that integrators install, on each supported Node: `npm run prove -- node-versions`. Needs no platform and no database.
const { globalSetup: _setup, globalTeardown: _teardown, ...config } = require('../../jest.preset.cjs').projectConfig(__dirname);

module.exports = {
  ...config,
  setupFilesAfterEnv: [require.resolve('./src/testing/journey-timeout.cjs')],
  testMatch: ['<rootDir>/src/kits/*.nodes.ts'],
};
