// Each kit from its package, by its page, from an empty folder to a settled payment, with the time of each step: `npm run test:kits -- --table`.
module.exports = { ...require('./jest.config.cjs'), testMatch: ['<rootDir>/src/kits/*.guide.ts'] };
