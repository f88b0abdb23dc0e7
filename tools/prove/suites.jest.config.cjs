// The suites that a plain `npm test` does not pick up, because they need other programs or run whole platforms for minutes. PROVE_SUITE says which
// files they are.
const { projectConfig } = require('../../jest.preset.cjs');

const suite = process.env.PROVE_SUITE;

module.exports = {
  ...projectConfig(__dirname),
  displayName: suite,
  testMatch: [`<rootDir>/**/${suite}.ts`],
  // These have databases and processes of their own.
  ...(suite?.includes('fault') && { globalSetup: undefined, globalTeardown: undefined }),
};
