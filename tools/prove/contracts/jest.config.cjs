// Apart from the other tools: these tests need Python, Java and Maven, and no database of their own.
const { globalSetup: _, globalTeardown: __, ...project } = require('../../../jest.preset.cjs').projectConfig(__dirname);

module.exports = { ...project, testMatch: ['<rootDir>/*.contract.ts'] };
