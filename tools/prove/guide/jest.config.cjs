// Apart from the other tools: these suites need Java, Maven and kubectl, so a plain `npm test` does not pick them up.
module.exports = {
  ...require('../../../jest.preset.cjs').projectConfig(__dirname),
  testMatch: ['<rootDir>/*.guide.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
