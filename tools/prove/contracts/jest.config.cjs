// Apart from the other tools: these tests need Python, Java and Maven, so a plain `npm test` does not pick them up.
module.exports = { ...require('../../../jest.preset.cjs').projectConfig(__dirname), testMatch: ['<rootDir>/*.contract.ts'] };
