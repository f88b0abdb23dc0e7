// Apart from the other tools: this suite needs root, namespaces, containerd and images, so a plain `npm test` does not pick it up.
module.exports = {
  ...require('../../../jest.preset.cjs').projectConfig(__dirname),
  testMatch: ['<rootDir>/*.cluster.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
