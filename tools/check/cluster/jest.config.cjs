// Apart from the other tools: these suites need Go, Java and Maven, so a plain `npm test` does not pick them up.
module.exports = {
  ...require('../../../jest.preset.cjs').projectConfig(__dirname),
  testMatch: ['<rootDir>/*.cluster.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
