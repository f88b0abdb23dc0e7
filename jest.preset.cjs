// One Jest set-up for every project: SWC for TypeScript, the workspace path aliases, one embedded PostgreSQL per run.
const { readFileSync } = require('node:fs');
const { join, basename } = require('node:path');
const packages = require('./tools/prove/testing/package-bundle.cjs');

const { paths } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8')).compilerOptions;
packages.makeBundle();
const base = { swcrc: false, module: { type: 'commonjs' } };

/** Jest configuration of the project in `rootDir` (an absolute folder). */
exports.projectConfig = rootDir => ({
  rootDir,
  // Not in the temporary folder, which each run has for itself.
  cacheDirectory: join(__dirname, '.cache/jest'),
  displayName: basename(rootDir),
  testEnvironment: join(__dirname, 'tools/prove/testing/leak-guard-environment.cjs'),
  testMatch: ['<rootDir>/**/*.spec.ts'],
  setupFiles: ['reflect-metadata'],
  globalSetup: join(__dirname, 'tools/prove/testing/global-setup.cjs'),
  globalTeardown: join(__dirname, 'tools/prove/testing/global-teardown.cjs'),
  moduleNameMapper: {
    ...Object.fromEntries(Object.entries(paths).map(([alias, [file]]) => [`^${alias}$`, join(__dirname, file)])),
    [packages.pattern]: packages.mapped,
  },
  transformIgnorePatterns: ['/node_modules/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        ...base,
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
      },
    ],
  },
});
