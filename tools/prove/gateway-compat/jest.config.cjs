// Apart from the other tools: these suites need nginx, so a plain `npm test` does not pick them up.
module.exports = { ...require('../../../jest.preset.cjs').projectConfig(__dirname), testMatch: ['<rootDir>/*.compat.ts'] };
