// How Stryker mutates one area; tools/prove/mutation/stryker/run-stryker.ts says which by the environment.

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: {
    projectType: 'custom',
    configFile: 'tools/prove/mutation/stryker/jest.config.cjs',
    // Without it every mutant loads every spec file, and skips its tests by name.
    enableFindRelatedTests: true,
  },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  mutate: [...JSON.parse(process.env.MUTATION_FILES), '!**/*.spec.ts', '!**/*.conformance.ts', '!**/testing/**', '!**/index.ts'],
  mutator: {
    // Most texts are messages and names of errors, which no test should repeat word for word; the ones that decide something (statuses,
    // kinds) are compared with others, and those comparisons are mutated.
    excludedMutations: ['StringLiteral'],
  },
  // A mutant of what runs once at load (tables, regular expressions held in constants) would need every spec of the project to run again.
  ignoreStatic: true,
  disableTypeChecks: false,
  concurrency: 2,
  // A loop that never ends is found by counting. A run that its time limit stops is not judged, because a busy machine may be the cause.
  timeoutMS: 60_000,
  // Ignored by git, Prettier and ESLint, and outside every Jest project.
  tempDirName: '.cache/mutation/stryker',
  cleanTempDir: 'always',
  // Folders that running programs write to, for example a Kafka beside the run: files come and go there while Stryker copies.
  ignorePatterns: ['/.paycode', '/.cache', '/.nx', '/dist', '/coverage'],
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: process.env.MUTATION_REPORT },
  allowConsoleColors: false,
};
