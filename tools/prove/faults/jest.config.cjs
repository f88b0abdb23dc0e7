// Apart from the other tools: these cases run whole platforms for minutes, so a plain `npm test` does not pick them up.
const { projectConfig } = require('../../../jest.preset.cjs');

module.exports = {
  ...projectConfig(__dirname),
  // Every case has databases and processes of its own.
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/cases/*.fault.ts'],
};
