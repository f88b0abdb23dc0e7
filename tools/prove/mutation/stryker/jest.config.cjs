// The unit specs of one project (MUTATION_PROJECT, as "libs/crypto"), which a mutant of its framework-free code is run against. No
// PostgreSQL, and no leak guard: it would wait ten seconds for every mutant that leaves a timer.
const { join } = require('node:path');
const { projectConfig } = require('../../../../jest.preset.cjs');

const root = join(__dirname, '../../../..');
const { displayName, globalSetup, globalTeardown, ...config } = projectConfig(join(root, process.env.MUTATION_PROJECT));

module.exports = {
  ...config,
  testEnvironment: 'node',
  testTimeout: 30_000,
  testPathIgnorePatterns: ['/node_modules/', '\\.int\\.spec\\.ts$'],
};
