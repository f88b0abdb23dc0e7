// Apart from the other tools: these suites need kubectl and promtool, or Go, Java and Maven, so a plain `npm test` does not pick them up.
module.exports = {
  ...require('../../jest.preset.cjs').projectConfig(__dirname),
  testMatch: ['<rootDir>/**/*.{manifest,cluster}.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
