// Boundaries inside a project; between projects the ESLint rule @nx/enforce-module-boundaries decides. Every rule here has a seeded
// violation in tools/check/architecture/seeded-violations.ts that must be reported.
const spec = String.raw`\.spec\.ts$|\.conformance\.ts$`;
const testCode = String.raw`${spec}|/testing/|^apps/platform-e2e/`;
const inbound = String.raw`^(apps|libs)/.*\.(controller|consumer|job)\.ts$`;
const controller = String.raw`\.(controller|consumer)\.ts$`;
const outbound = String.raw`^(apps|libs)/.*\.(store|client|queue|mailer|sender)\.ts$`;
/** The files that put a service together. */
const wiring = String.raw`/(index|main)\.ts$|\.(module|provider)\.ts$`;

/** The groups of tools that a group uses: run <- prove <- check, and measure uses run and prove. */
const toolGroups = [
  ['run', 'prove|measure|check'],
  ['prove', 'measure|check'],
  ['measure', 'check'],
  ['check', 'measure'],
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-pure',
      comment:
        'domain/ imports only domain/, the contracts, the one hash, the heap, the token bucket and the format of messages: no clock, no I/O, no framework.',
      severity: 'error',
      from: { path: '/domain/', pathNot: testCode },
      to: {
        pathNot: [
          '/domain/',
          '^libs/dto/src/',
          '^libs/events/src/record/partitioning\\.ts$',
          '^libs/service-runtime/src/timing/(bounded-map|deadline-heap|token-bucket)\\.ts$',
          '^node_modules/intl-messageformat/',
        ],
      },
    },
    {
      name: 'inbound-edge-is-never-called',
      comment:
        'A controller, consumer or job calls use cases. Only the module that lists it, what makes it or another of them knows it.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `${testCode}|${wiring}|${inbound}` },
      to: { path: inbound },
    },
    {
      name: 'controller-knows-no-store',
      comment:
        'A controller or consumer parses, calls one use case and translates its result. The use case calls stores and clients.',
      severity: 'error',
      from: { path: controller },
      to: { path: outbound },
    },
    {
      name: 'reached-from-main',
      comment:
        'A file that main.ts does not reach takes no part in its service: a consumer or controller that no module lists, say. Workers, preloads and commands are started by their path.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/main\\.tsx?$' },
      to: {
        path: '^apps/[^/]+/src/',
        pathNot: `${testCode}|^apps/operations/|/main\\.tsx?$|\\.(worker|preload)\\.ts$`,
        reachable: false,
      },
    },
    {
      name: 'testing-only-from-specs',
      comment: 'Fakes and test databases never reach a running service.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: testCode },
      to: { path: '/testing/' },
    },
    {
      name: 'nobody-imports-a-spec',
      severity: 'error',
      comment: 'A spec is a leaf; what two specs share belongs into testing/.',
      from: {},
      to: { path: '\\.spec\\.ts$' },
    },
    {
      name: 'contracts-know-no-framework',
      comment: 'libs/dto and libs/crypto outlive frameworks: zod, class-validator, the list of ISO 4217 and Node only.',
      severity: 'error',
      from: { path: '^libs/(dto|crypto)/src/', pathNot: testCode },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|class-validator|currency-codes)/' },
    },
    {
      name: 'no-development-package-in-a-service',
      comment: 'Packages that run in production are in dependencies.',
      severity: 'error',
      // Pages are built: what they are made of is in them, and no service loads it. `secrets init` and `prove -- core` read files of the repository
      // and are in no image.
      from: { path: '^(apps|libs)/', pathNot: `${testCode}|^apps/(portal-web|operations/src/(paycode/secrets|core-contract))/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'no-unresolvable-import',
      severity: 'error',
      comment: 'An import that resolves to nothing hides from every other rule.',
      from: {},
      to: { couldNotResolve: true },
    },
    ...toolGroups.map(([group, others]) => ({
      name: 'tools-in-order',
      severity: 'error',
      comment: 'Tools that run a platform do not import those that test or measure it, and nothing imports a benchmark.',
      from: { path: `^tools/${group}/` },
      to: { path: `^tools/(${others})/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|tools/prove/contracts/clients)/|^(apps|libs|tools)/.*\\.d\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
    parser: 'swc',
  },
};
