// Specs with a planted fault, which the specs of this folder's parent run and judge. Outside the match of a plain `npm test`.
module.exports = {
  ...require('../../../../jest.preset.cjs').projectConfig(__dirname),
  displayName: 'planted',
  testMatch: ['<rootDir>/*.planted.ts'],
  testEnvironmentOptions: { patienceMs: 500 },
};
