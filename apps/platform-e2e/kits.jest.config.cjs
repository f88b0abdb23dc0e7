// The receiver kits (kits/), each used from its package, on the journeys' platform: `npm run test:kits`.
module.exports = { ...require('./jest.config.cjs'), testMatch: ['<rootDir>/src/kits/*.kit.ts'] };
