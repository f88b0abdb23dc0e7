/** Files with one violation each, and what a gate must report about them. check-seeded-violations.ts writes them into a temporary workspace. */

export interface Report {
  gate: string;
  rule: string;
  /** Part of the message; needed where one rule has several. */
  message: string;
}

export interface SeededViolation {
  file: string;
  text: string;
  reports: readonly Report[];
}

const eslint = (rule: string, message = ''): Report => ({ gate: 'eslint', rule, message });
const syntax = (message: string): Report => eslint('no-restricted-syntax', message);
const boundary = (message: string): Report => eslint('@nx/enforce-module-boundaries', message);
const depcruise = (rule: string): Report => ({ gate: 'depcruise', rule, message: '' });
const supplyChain = (rule: string, message: string): Report => ({ gate: 'supply-chain', rule, message });
const page = (rule: string, message: string): Report => ({ gate: 'pages', rule, message });
const shape = (rule: string, message: string): Report => ({ gate: 'size', rule, message });
const ids = (message: string): Report => ({ gate: 'ids', rule: 'ids', message });

/** A file of the service alpha. */
const inAlpha = (file: string, text: string, ...reports: Report[]): SeededViolation => ({
  file: `apps/alpha/src/${file}`,
  text: `${text}\n`,
  reports,
});
const imports = (name: string, from: string): string =>
  `import { ${name} } from '${from}';\nexport const seeded: unknown = ${name};`;

const lint: readonly SeededViolation[] = [
  inAlpha('Camel_Case.ts', 'export const seeded = 1;', eslint('paycode/file-name', 'kebab-case')),
  inAlpha('date-utils.ts', 'export const seeded = 1;', eslint('paycode/file-name', 'says nothing')),
  inAlpha('pay.usecase.ts', 'export const seeded = 1;', eslint('paycode/file-name', '.usecase is no suffix of this project')),
  inAlpha(
    'empty-words.ts',
    'export class PaymentManager {\n  readonly seeded = 1;\n}\nexport interface IPayment {\n  seeded: number;\n}',
    eslint('paycode/class-name', 'name the thing'),
    eslint('paycode/class-name', 'no I prefix'),
  ),
  inAlpha(
    'pages.ts',
    "import { Controller } from '@nestjs/common';\n@Controller()\nexport class Pages {\n  readonly seeded = 1;\n}",
    eslint('paycode/controller-file', 'belongs into a .controller.ts or .consumer.ts file'),
  ),
  inAlpha(
    'settle.service.ts',
    'export class Settle {\n  readonly seeded = 1;\n}',
    eslint('paycode/class-file', 'exports a class whose name ends in that word'),
  ),
  inAlpha(
    'parameters.ts',
    `export const seeded = (a: number, b: number, c: number, d: number): number => a + b + c + d;
export function inOrder(...[a, b, c, d, e, f, g]: number[]): number {
  return a! + b! + c! + d! + e! + f! + g!;
}`,
    eslint('paycode/parameters', '(a: number'),
    eslint('paycode/parameters', 'd: at most 3'),
  ),
  inAlpha(
    'reads-a-setting.ts',
    `export function leaseOf(settings: { LEASE_MS: number; RETRY_MS: number; MIGRATIONS: string; PAYLOAD_KEYS: string }): string {
  const { RETRY_MS: retryMs } = settings;
  return [settings.LEASE_MS, retryMs, settings['PAYLOAD_KEYS'], settings.MIGRATIONS].join();
}`,
    ...['settings.LEASE_MS', 'RETRY_MS: retryMs', "settings['PAYLOAD_KEYS']", 'settings.MIGRATIONS'].map(text =>
      eslint('paycode/setting-reads', `${text}: a setting is read here`),
    ),
  ),
  inAlpha(
    'names-metrics.ts',
    `import { Counter } from 'prom-client';
declare function counter(name: string, help: string): number;
declare function scrapedGauge(form: { name: string; help: string }): number;
declare function histogram(name: string, help: string): number;
const chosen = 'paycode_alpha_chosen_total';
export const seeded = [
  counter('orders_total', 'Without the name of the project.'),
  counter('paycode_alpha_Orders_total', 'With a capital.'),
  scrapedGauge({ name: 'paycode_alpha_wait_ms', help: 'In milliseconds.' }),
  scrapedGauge({ name: 'paycode_alpha_gauge_of_orders', help: 'With its type in the name.' }),
  counter('paycode_alpha_orders', 'A counter without _total.'),
  scrapedGauge({ name: 'paycode_alpha_orders_total', help: 'A gauge with _total.' }),
  histogram('paycode_alpha_age', 'A histogram without a unit.'),
  counter(chosen, 'Without a literal name.'),
  new Counter({ name: 'paycode_alpha_made_total', help: 'Made without counter().' }),
];`,
    ...[
      'orders_total: metrics of this project begin with paycode_alpha_',
      'paycode_alpha_Orders_total: metric names are snake_case',
      'paycode_alpha_wait_ms: metrics are in base units',
      'paycode_alpha_gauge_of_orders: the type of a metric',
      'paycode_alpha_orders: a counter ends in _total',
      'paycode_alpha_orders_total: a counter ends in _total',
      'paycode_alpha_age: a counter ends in _total, a histogram in its unit',
      'the name of a metric stands as a literal',
      'metrics are made by counter',
    ].map(message => eslint('paycode/metric-name', message)),
  ),
  inAlpha('default-export.ts', 'export default 1;', syntax('named exports only')),
  inAlpha('reads-rows.ts', "export const seeded = 'at < clock_timestamp()';", syntax('compare with statement_timestamp()')),
  inAlpha('silenced.ts', '/* eslint-disable */\nexport const seeded = (): void => console.log("x");', eslint('no-console')),
  inAlpha(
    'floating-promise.ts',
    'export function seeded(send: () => Promise<void>): void {\n  send();\n}',
    eslint('@typescript-eslint/no-floating-promises'),
  ),
  inAlpha(
    'payment/domain/makes-a-date.ts',
    'export const seeded = (): Date => new Date();',
    syntax('domain/ has no clock: take the instant as an argument'),
  ),
  inAlpha(
    'payment/domain/reads-the-clock.ts',
    'export const seeded = (): number => Date.now();',
    syntax('domain/ has no clock: take the instant as an argument'),
  ),
  inAlpha('payment/domain/random.ts', 'export const seeded = (): number => Math.random();', syntax('domain/ has no chance')),
  inAlpha(
    'payment/domain/waits.ts',
    'export async function seeded(value: Promise<number>): Promise<number> {\n  return await value;\n}',
    syntax('domain/ is synchronous'),
  ),
  inAlpha(
    'payment/sleeps.spec.ts',
    "it('waits', async () => {\n  await new Promise(resolve => setTimeout(resolve, 500));\n});",
    syntax('no fixed pause'),
  ),
];

/** Folder, name and tag of each project of the workspace. */
const projects: readonly [folder: string, name: string, tag: string][] = [
  ['apps/alpha', 'alpha', 'type:app'],
  ['apps/beta', 'beta', 'type:app'],
  ['apps/commands', 'commands', 'type:commands'],
  ['apps/journeys', 'journeys', 'type:e2e'],
  ['libs/dto', 'dto', 'type:contracts'],
  ['libs/platform', 'platform', 'type:platform'],
  ['libs/harness', 'harness', 'type:testing'],
  ['libs/stray', 'stray', 'type:stray'],
  ['tools', 'tools', 'type:util'],
];

const betweenProjects: readonly SeededViolation[] = [
  // One import for each kind of project with a rule of its own.
  ...projects
    .filter(([, name]) => name !== 'beta' && name !== 'stray')
    .map(([folder, , tag]) => ({
      file: folder === 'tools' ? 'tools/imports-a-stray-library.ts' : `${folder}/src/imports-a-stray-library.ts`,
      text: imports('stray', '@seeded/stray'),
      reports: [boundary(`A project tagged with "${tag}"`)],
    })),
  inAlpha('imports-a-sibling-by-path.ts', imports('platform', '../../../libs/platform/src/index'), boundary('relative')),
  inAlpha('imports-an-app.ts', imports('beta', '@seeded/beta'), boundary('Imports of apps are forbidden')),
  inAlpha('imports-an-undeclared-package.ts', imports('tokTypes', 'acorn'), boundary('Transitive')),
  {
    file: 'libs/dto/src/imports-a-framework.ts',
    text: imports('Injectable', '@nestjs/common'),
    reports: [boundary('is not allowed to import'), depcruise('contracts-know-no-framework')],
  },
];

const insideProjects: readonly SeededViolation[] = [
  inAlpha('cycle-one.ts', imports('seeded', './cycle-two').replace('const seeded', 'const one'), depcruise('no-cycles')),
  inAlpha('cycle-two.ts', imports('one', './cycle-one')),
  inAlpha('imports-nothing.ts', imports('nothing', './not-there'), depcruise('no-unresolvable-import')),
  inAlpha('never-reached.ts', 'export const neverReached = true;', depcruise('reached-from-main')),
  inAlpha('uses-a-development-package.ts', imports('assert', 'fast-check'), depcruise('no-development-package-in-a-service')),
  inAlpha('payment/domain/imports-a-package.ts', imports('Injectable', '@nestjs/common'), depcruise('domain-is-pure')),
  inAlpha('payment/domain/imports-another-capability.ts', imports('refund', '../../refund/refund'), depcruise('domain-is-pure')),
  inAlpha(
    'payment/domain/imports-the-use-case.ts',
    "import type { PayService } from '../pay.service';\nexport type Seeded = PayService;",
    depcruise('domain-is-pure'),
  ),
  inAlpha('payment/domain/reads-a-file.ts', imports('readFileSync', 'node:fs'), depcruise('domain-is-pure')),
  inAlpha(
    'payment/pay.controller.ts',
    `${imports('PaymentStore', './payment.store')}\nexport interface PayRequest {\n  amount: string;\n}`,
    depcruise('controller-knows-no-store'),
  ),
  inAlpha(
    'payment/pay.service.ts',
    "import type { PayRequest } from './pay.controller';\nexport class PayService {\n  requests: PayRequest[] = [];\n}",
    depcruise('inbound-edge-is-never-called'),
  ),
  inAlpha('payment/other.spec.ts', imports('shared', './something.spec'), depcruise('nobody-imports-a-spec')),
  inAlpha('payment/uses-a-fake.ts', imports('fakeClock', './testing/fake-clock'), depcruise('testing-only-from-specs')),
  { file: 'tools/run/uses-a-check.ts', text: imports('checked', '../check/checked'), reports: [depcruise('tools-in-order')] },
];

const lockedPackages = {
  '': {},
  'node_modules/forbids': { version: '1.0.0', license: 'AGPL-3.0-only', integrity: 'sha512-AAAA' },
  'node_modules/says-nothing': { version: '1.0.0', integrity: 'sha512-AAAA' },
  'node_modules/both-licences': { version: '1.0.0', license: 'MIT AND AGPL-3.0-only', integrity: 'sha512-AAAA' },
  'node_modules/data-in-a-service': { version: '1.0.0', license: 'CC-BY-4.0', integrity: 'sha512-AAAA' },
  'node_modules/pause': { version: '0.0.2', integrity: 'sha512-AAAA' },
  'node_modules/runs-a-script': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAAA', hasInstallScript: true },
  'node_modules/without-a-hash': { version: '1.0.0', license: 'MIT' },
  'node_modules/weak-hash': { version: '1.0.0', license: 'MIT', integrity: 'sha1-AAAA' },
  'node_modules/from-one-host': {
    version: '1.0.0',
    license: 'MIT',
    integrity: 'sha512-AAAA',
    resolved: 'https://packages.example.com/a.tgz',
  },
};

/** Texts that no file may have, one to a line, each with the reason. */
const forbidden: readonly SeededViolation[] = [
  forbiddenIn('apps/alpha/src/forbidden.spec.ts', [
    ['const places = ["/work/main/x", ""];', 'absolute path of a machine'],
    ['const home = "/home/someone/file";', 'absolute path of a machine'],
    ["const file = '/root/.npmrc';", 'absolute path of a machine'],
    ["const from = 'https://registry.npmjs.org/';", 'host name of a package registry: any mirror must work'],
    ["it.only('x');", 'a focused test hides the others'],
    ['describe.only.each([]);', 'a focused test hides the others'],
    ["it.skip('x');", 'a skipped test needs a condition and a printed reason'],
    ['promise.catch(() => undefined);', 'an error is swallowed without a comment that says why'],
    ['// TODO later', 'left for later: do it or write it down in docs'],
    ['// What the caller asked for.', 'a sentence begins with a headless Who or What: begin with the actor or the thing'],
  ]),
  forbiddenIn('forbidden.md', [
    [
      'It waits. Whoever comes later waits too.',
      'a sentence begins with a headless Who or What: begin with the actor or the thing',
    ],
    ['<<<<<<< HEAD', 'unresolved merge conflict'],
  ]),
  forbiddenIn('forbidden/package-lock.json', [
    ['"resolved": "https://x/y.tgz"', 'the lock file records where a package came from'],
  ]),
];

function forbiddenIn(file: string, places: readonly [text: string, reason: string][]): SeededViolation {
  const reports = places.map(([, rule], at): Report => ({ gate: 'text', rule, message: `${file}:${at + 1} ` }));
  return { file, text: `${places.map(([text]) => text).join('\n')}\n`, reports };
}

const unknownIds = ['R-2.1-2', 'A-99', 'T-12', 'P-1.2-9', 'P-1.9', 'P-T7', 'P-I5', 'F-46'];

/** Ids that are cited, and settings that nothing reads. */
const names: readonly SeededViolation[] = [
  {
    file: 'docs/specification/threats.md',
    text: '| T-11 | one |\n| T-11 | two |\n',
    reports: [ids('T-11 is defined 2 times')],
  },
  inAlpha(
    'cites.spec.ts',
    `${unknownIds.map(name => `// A sentence (${name}).`).join('\n')}
// T8: ours
/** Never (I4). */
// see row 8
// fault case 45
// T-11: ours
/** T-11, T-11: repeated. */
it('T-11: repeats', () => {});
it('regression, T-11: repeats again', f);
it('repeats three times (T-11, T-11, T-11)', f);
it.each([1, 2])('repeats %d (T-11, T-11, T-11)', f);`,
    ...unknownIds.map(name => ids(`no page defines ${name}`)),
    ...['// T8', 'Never (I4', '// see row 8', '// fault case 45'].map(ids),
    ...['// T-11:', '/** T-11, T-11:', 'T-11: repeats', 'regression, T-11: repeats again'].map(text =>
      ids(`words come first, ids behind them: ${text}`),
    ),
    ...['repeats three times', 'repeats %d'].map(text => ids(`2 ids at most, the describe around it the others: ${text}`)),
  ),
  // Each mentions the setting, and none reads it in the service.
  inAlpha(
    'config/env.ts',
    `interface Settings { POSTS_MAX: number }
type Part = Pick<Settings, 'POSTS_MAX'>;
const definition = { POSTS_MAX: { type: 'integer' } };
throw new Error('POSTS_MAX is required'); // settings.POSTS_MAX`,
    { gate: 'settings', rule: 'settings', message: 'nothing reads the setting POSTS_MAX' },
  ),
  ...['apps/alpha/src/posts.int.spec.ts', 'apps/alpha/src/testing/posts.ts', 'apps/beta/src/posts.ts', 'tools/run/posts.ts'].map(
    file => ({ file, text: 'start(settings.POSTS_MAX);\n', reports: [] }),
  ),
];

const texts: readonly SeededViolation[] = [
  {
    file: 'supply-chain/package-lock.json',
    text: JSON.stringify({ packages: lockedPackages }),
    reports: [
      supplyChain('licence', 'node_modules/forbids'),
      supplyChain('licence', 'node_modules/says-nothing'),
      supplyChain('licence', 'node_modules/both-licences'),
      supplyChain('licence', 'node_modules/data-in-a-service'),
      supplyChain('licence', 'node_modules/pause (0.0.2)'),
      supplyChain('install-script', 'runs-a-script'),
      supplyChain('integrity', 'node_modules/without-a-hash'),
      supplyChain('integrity', 'node_modules/weak-hash'),
      supplyChain('resolved', 'node_modules/from-one-host'),
      supplyChain('unused', 'esbuild'),
    ],
  },
  {
    file: 'leads-nowhere.md',
    text: '# Links\n\nPayments are in `apps/alpha/src/nowhere`; see [another page](gone.md) and [a heading](#gone).\n',
    reports: [page('missing-path', 'apps/alpha/src/nowhere'), page('dead-link', 'gone.md'), page('dead-link', '#gone')],
  },
  inAlpha(
    'shapes.ts',
    `export class Parcel {
  constructor(
    readonly first: number,
    readonly second: number,
  ) {}
}
export abstract class Lonely {
  abstract find(): number;
}
export class PostgresLonely extends Lonely {
  override find(): number {
    return 1;
  }
}`,
    shape('bag', 'Parcel'),
    shape('port-without-double', 'Lonely'),
  ),
];

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2024'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node', 'jest'],
  paths: Object.fromEntries(projects.map(([folder, name]) => [`@seeded/${name}`, [`./${folder}/src/index.ts`]])),
};

/** Files that the violations need around them. */
const surroundings: readonly SeededViolation[] = [
  { file: 'tsconfig.base.json', text: JSON.stringify({ compilerOptions }), reports: [] },
  ...projects.flatMap(([folder, name, tag]) => {
    const projectType = folder.startsWith('apps/') ? 'application' : 'library';
    const project = { name, sourceRoot: `${folder}/src`, projectType, tags: [tag, 'scope:seeded'], targets: {} };
    return [
      { file: `${folder}/project.json`, text: JSON.stringify(project), reports: [] },
      { file: `${folder}/src/index.ts`, text: `export const ${name} = 1;\n`, reports: [] },
    ];
  }),
  { file: 'tools/check/checked.ts', text: 'export const checked = true;\n', reports: [] },
  inAlpha('main.ts', "import { alpha } from './index';\nexport const started = alpha;"),
  inAlpha('payment/payment.store.ts', 'export class PaymentStore {\n  rows = 0;\n}'),
  inAlpha('payment/something.spec.ts', 'export const shared = 1;'),
  inAlpha('payment/testing/fake-clock.ts', 'export const fakeClock = 1;'),
  inAlpha('refund/refund.ts', 'export const refund = 1;'),
];

export const seededViolations: readonly SeededViolation[] = [
  ...lint,
  ...betweenProjects,
  ...insideProjects,
  ...texts,
  ...forbidden,
  ...names,
  ...surroundings,
];
