// The unit specs of one project (MUTATION_PROJECT, as "libs/crypto"; MUTATION_SPECS, a glob in it), which a mutant of its framework-free code
// is run against. No PostgreSQL, and no leak guard: it would wait ten seconds for every mutant that leaves a timer.
const { join } = require('node:path');
const { projectConfig } = require('../../../../jest.preset.cjs');
const { pattern: bundled } = require('../../testing/package-bundle.cjs');

const root = join(__dirname, '../../../..');
const { displayName, globalSetup, globalTeardown, transform, moduleNameMapper, ...config } = projectConfig(
  join(root, process.env.MUTATION_PROJECT),
);

// Each mutant loads its spec anew, and TypeORM and Nest cost many times what the spec does. So packages are loaded when they are first used,
// and what the index of a library exports for Nest beside its rules (modules, guards, the folder nest but for the decorator of consumers) is
// left out: a unit spec that needs it fails before any mutant. So are the languages of zod's messages, and the metrics of the process.
const leftOut = [
  '^\\.{1,2}/(?:.*/)?[\\w-]+\\.(?:module|guard)$',
  '^\\.{1,2}/nest/(?!on-events$).+',
  '^\\.\\./locales/index\\.cjs$',
  '^\\./lib/defaultMetrics$',
];
const { [bundled]: _bundled, ...aliases } = moduleNameMapper;
const nothing = join(__dirname, 'no-module.cjs');

function lazily([pattern, [transformer, options]]) {
  return [pattern, [transformer, { ...options, module: { ...options.module, lazy: true } }]];
}

module.exports = {
  ...config,
  moduleNameMapper: { ...aliases, ...Object.fromEntries(leftOut.map(pattern => [pattern, nothing])) },
  transform: Object.fromEntries(Object.entries(transform).map(lazily)),
  testMatch: [`<rootDir>/${process.env.MUTATION_SPECS}`],
  testEnvironment: 'node',
  testTimeout: 30_000,
  testPathIgnorePatterns: ['/node_modules/', '\\.int\\.spec\\.ts$'],
};
