// Rules that tools/check/check.ts enforces on every TypeScript file. Inline comments cannot switch a rule off: exceptions stand in one list below.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { lintRules } from './tools/check/architecture/lint-rules.ts';

const specs = [
  '**/*.spec.ts',
  '**/*.fault.ts',
  '**/*.manifest.ts',
  '**/testing/**/*.ts',
  '**/*.conformance.ts',
  '**/*.fixture.ts',
  'apps/platform-e2e/**/*.ts',
];

/** ESLint's cache knows the configuration, not the code of our own rules: with this in the settings a changed rule empties it. */
const ruleText = readFileSync(join(import.meta.dirname, 'tools/check/architecture/lint-rules.ts'), 'utf8');
const ownRules = createHash('sha256').update(ruleText).digest('hex');

/** Exceptions to a rule, each with its reason. */
const exceptions = [
  {
    files: ['libs/service-runtime/src/boot.ts'],
    rules: ['no-restricted-properties'],
    reason: 'hands process.env to the schema in config/env.ts, which alone reads it',
  },
  {
    files: ['libs/service-runtime/src/metrics/*.ts'],
    rules: ['paycode/metric-name'],
    reason: 'makes the metrics of all projects, under the names that they give',
  },
  {
    files: ['libs/service-runtime/src/tracing/otlp-payment-tracing.ts'],
    rules: ['paycode/metric-name'],
    reason: 'dashboards read paycode_tracing_spans_total',
  },
  {
    files: ['libs/events/src/kafka/kafka-subscriber.ts'],
    rules: ['paycode/setting-reads'],
    reason: 'reads the names that kafkajs gives its events',
  },
  {
    files: ['apps/portal-web/vite.config.ts'],
    rules: ['no-restricted-syntax', 'paycode/file-name'],
    reason: 'Vite names the file, and takes its configuration from the default export',
  },
  {
    files: ['tools/prove/simulation/**/*.ts', 'apps/operations/src/audit/**/*.int.spec.ts', 'tools/check/docs/*.int.spec.ts'],
    rules: ['@nx/enforce-module-boundaries'],
    reason: 'prove several services together: drive their real decision code, read the schema they make',
  },
];

const projectBoundaries = {
  enforceBuildableLibDependency: false,
  allowCircularSelfDependency: true,
  banTransitiveDependencies: true,
  // The tests' global set-up is CommonJS and can load the embedded PostgreSQL by import() only; nothing here is loaded lazily for size.
  checkDynamicDependenciesExceptions: ['@paycode/**'],
  depConstraints: [
    // An app never imports an app: services speak over HTTP and events.
    { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:platform', 'type:contracts'] },
    // Tools may use the operators' commands; the commands are started alone and use libraries.
    { sourceTag: 'type:commands', onlyDependOnLibsWithTags: ['type:platform', 'type:contracts', 'type:testing'] },
    { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:platform', 'type:contracts', 'type:testing'] },
    { sourceTag: 'type:util', onlyDependOnLibsWithTags: ['type:platform', 'type:contracts', 'type:testing', 'type:util'] },
    { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:contracts'] },
    { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform', 'type:contracts'] },
    {
      sourceTag: 'type:contracts',
      onlyDependOnLibsWithTags: ['type:contracts'],
      bannedExternalImports: [
        '@nestjs/*',
        'typeorm',
        'pg',
        'kafkajs',
        'fastify',
        '@fastify/*',
        'axios',
        'undici',
        'rxjs',
        'pino',
        'passport*',
      ],
    },
  ],
};

/** From a tool to the libraries and to the other groups of tools; which group may use which, dependency-cruiser says. */
const toolPaths = ['../../libs/**', '../../../libs/**', '../../../../libs/**', '../../../../../libs/**'].concat(
  ['run', 'prove', 'apps/operations'].flatMap(group => [
    `../${group}/**`,
    `../../${group}/**`,
    `../../../${group}/**`,
    `../../../../${group}/**`,
  ]),
  // One form of report for integrators and for the teams of payment cores.
  '../../../kits/paycode-dev/src/report/**',
);

const sleep = {
  selector: 'AwaitExpression > NewExpression[callee.name="Promise"] CallExpression[callee.name=/^(setTimeout|sleep|delay)$/]',
  message: 'no fixed pause: wait for the condition with eventually()',
};

const impureCalls = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'domain/ has no clock: take the instant as an argument',
  },
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: 'domain/ has no clock: take the instant as an argument',
  },
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: 'domain/ has no chance: take the value as an argument',
  },
  {
    selector: 'AwaitExpression, FunctionDeclaration[async=true], ArrowFunctionExpression[async=true]',
    message: 'domain/ is synchronous',
  },
];

const defaultExport = { selector: 'ExportDefaultDeclaration', message: 'named exports only' };
const readsEveryRow = 'compare with statement_timestamp(): clock_timestamp() changes, so no index bounds the read';
const volatileClock = [
  { selector: 'Literal[value=/<=? clock_timestamp/]', message: readsEveryRow },
  { selector: 'TemplateElement[value.raw=/<=? clock_timestamp/]', message: readsEveryRow },
];

const inLanguages = 'words on a page go through t() or rich(), and into es.json and ar.json';
const untranslated = [
  { selector: 'JSXText[value=/[a-z]{2}/]:not([value=/^\\s*(Paycode|POST .*)\\s*$/])', message: inLanguages },
  { selector: 'JSXAttribute[name.name=/^(aria-label|alt)$/] > Literal[value=/[a-z]{2}/]', message: inLanguages },
];

const rules = {
  'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true, IIFEs: true }],
  complexity: ['error', 8],
  'max-depth': ['error', 3],
  'no-empty': ['error', { allowEmptyCatch: false }],
  'no-restricted-syntax': ['error', defaultExport],
  'no-restricted-properties': [
    'error',
    { object: 'process', property: 'env', message: 'only config/env.ts and tools read the environment' },
  ],
  'no-console': 'error',
  eqeqeq: 'error',
  '@nx/enforce-module-boundaries': ['error', projectBoundaries],
  'paycode/file-name': 'error',
  'paycode/class-name': 'error',
  'paycode/class-file': 'error',
  'paycode/controller-file': 'error',
  'paycode/metric-name': 'error',
  'paycode/parameters': 'error',
  'paycode/setting-reads': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  // A new throw takes an Error; a caught value of any type may be thrown again.
  '@typescript-eslint/only-throw-error': 'off',
  'no-throw-literal': 'error',
  // Reports assertions that document a database row or a generic call as needless.
  '@typescript-eslint/no-unnecessary-type-assertion': 'off',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
  // Takes every destructured or passed-on method of a foreign interface for a mistake.
  '@typescript-eslint/unbound-method': 'off',
  // A method that implements an asynchronous port need not await anything itself.
  '@typescript-eslint/require-await': 'off',
  // Control characters are refused on purpose where texts come in (T-25).
  'no-control-regex': 'off',
  // Nest modules are empty classes with a decorator.
  '@typescript-eslint/no-extraneous-class': 'off',
};

const plugins = {
  '@nx': nx,
  paycode: { rules: lintRules },
};

const on = Object.keys(rules).filter(rule => rules[rule] !== 'off');

/** Each but `on` needs a violation in tools/check/architecture/seeded-violations.ts. */
export const guarded = {
  on,
  rules: on.filter(rule => /^(paycode|@nx)\/|no-restricted-syntax|no-floating-promises/.test(rule)),
  boundaries: projectBoundaries.depConstraints.map(({ sourceTag }) => `A project tagged with "${sourceTag}"`),
  messages: [sleep, defaultExport, ...volatileClock, ...impureCalls].map(({ message }) => message),
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      'dist/**',
      '.nx/**',
      '.cache/**',
      '.paycode/**',
      'coverage/**',
      '**/*.cjs',
      '**/*.mjs',
      // Compiled with a client that is generated when the contracts are tested.
      'tools/prove/contracts/clients/**',
      // Declarations of foreign modules follow those modules' shapes.
      '**/*.d.ts',
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    ignores: ['apps/portal-web/**'],
    extends: [eslint.configs.recommended, ...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    settings: { ownRules },
    plugins,
    rules,
  },
  {
    // The pages of the portal: for browsers, so with types of their own.
    files: ['apps/portal-web/**/*.ts', 'apps/portal-web/**/*.tsx'],
    extends: [eslint.configs.recommended, ...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './apps/portal-web/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    settings: { ownRules },
    plugins,
    // Markup is long and says little a line; each part that is shown or not is a branch.
    rules: {
      ...rules,
      complexity: ['error', 14],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['apps/portal-web/**/*.tsx'], rules: { 'no-restricted-syntax': ['error', defaultExport, ...untranslated] } },
  // Lists that are read from top to bottom: a migration's statements, a module's parts, an assembly.
  { files: ['apps/*/migrations/**/*.ts', '**/*.module.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['{apps,libs}/*/src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', defaultExport, ...volatileClock] } },
  { files: ['**/domain/**/*.ts'], ignores: specs, rules: { 'no-restricted-syntax': ['error', defaultExport, ...impureCalls] } },
  {
    files: ['**/config/env.ts', '{tools,apps/operations}/**/*.ts', 'kits/pack.ts', ...specs],
    rules: { 'no-restricted-properties': 'off' },
  },
  // Where settings get the names of options, and the programs that set the environment of others.
  {
    files: [
      '{apps,kits}/*/src/config/**/*.ts',
      'apps/*/src/app.module.ts',
      'apps/*/src/main.ts',
      'libs/**/*-env.ts',
      'apps/{standalone,operations}/**/*.ts',
      'tools/**/*.ts',
      ...specs,
    ],
    rules: { 'paycode/setting-reads': 'off' },
  },
  // The console is where a kit logs unless its user gives it another log.
  {
    files: ['tools/**/*.ts', 'apps/standalone/**/*.ts', 'apps/operations/**/*.ts', 'kits/node/src/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Node runs the tools and the operators' commands as they are, without the aliases: they name files of libs by path.
    files: ['tools/**/*.ts', 'apps/operations/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': ['error', { ...projectBoundaries, allow: toolPaths }],
    },
  },
  {
    // The Node kit, the requests that every receiver is tried with, and what packs the kits are no projects of the workspace.
    files: ['kits/paycode-dev/**/*.ts', 'apps/platform-e2e/src/kits/*.ts', 'tools/run/release/packages.ts'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          ...projectBoundaries,
          allow: ['../../../node/src/index', '../../../../**/vectors/torture', '../../../../kits/pack', '../../../kits/pack.ts'],
        },
      ],
    },
  },
  {
    files: specs,
    rules: {
      // describe() blocks are as long as their rules are many; `it` stays short by the file limit.
      'max-lines-per-function': 'off',
      'no-restricted-syntax': ['error', defaultExport, sleep],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // A test module lives in the spec that needs it.
      'paycode/class-file': 'off',
      'paycode/controller-file': 'off',
    },
  },
  { files: ['**/*.{controller,consumer}.ts'], rules: { 'paycode/controller-file': 'off' } },
  ...exceptions.map(({ files, rules }) => ({ files, rules: Object.fromEntries(rules.map(rule => [rule, 'off'])) })),
);
