// The run under random kills, apart from the numbered cases.
module.exports = { ...require('./jest.config.cjs'), testMatch: ['<rootDir>/random/*.fault.ts'] };
