// Boundaries inside a project; between projects the ESLint rule @nx/enforce-module-boundaries decides. Every rule here has a planted
// violation in tools/check/architecture/canary that must be reported.
const spec = String.raw`\.spec\.ts$|\.conformance\.ts$`;
const testCode = String.raw`${spec}|/testing/|^apps/platform-e2e/`;
const capability = String.raw`^apps/([^/]+)/src/([^/]+)/`;
/** What puts a capability together; the channel table gives each channel its sender. */
const wiring = String.raw`/index\.ts$|\.(module|provider)\.ts$|/messages/channel-table\.ts$`;

/** What a group of tools uses: operate <- run <- prove <- check, and measure uses run and operate. */
const toolGroups = [
  ['operate', 'run|prove|measure|check'],
  ['run', 'prove|measure|check'],
  ['prove', 'measure|check'],
  ['measure', 'prove|check'],
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
        'domain/ imports only domain/, the contracts, the one hash, the heap and the token bucket: no clock, no I/O, no framework.',
      severity: 'error',
      from: { path: '/domain/', pathNot: testCode },
      to: {
        pathNot: [
          '/domain/',
          '^libs/dto/src/',
          '^libs/events/src/record/partitioning\\.ts$',
          '^libs/timing/src/(deadline-heap|token-bucket)\\.ts$',
        ],
      },
    },
    {
      name: 'use-case-never-imports-an-edge',
      comment: 'A use case speaks to the outside through its ports.',
      severity: 'error',
      // What stands in the capability's folder itself, beside what puts it together.
      from: { path: `${capability}[^/]+\\.ts$`, pathNot: `${testCode}|${wiring}` },
      to: { path: '^apps/$1/src/$2/(http|events|jobs|persistence|clients)/' },
    },
    {
      name: 'inbound-never-imports-outbound',
      comment: 'http/, events/ and jobs/ call one use case; they know no table and no client.',
      severity: 'error',
      from: { path: `${capability}(http|events|jobs)/`, pathNot: testCode },
      to: { path: '^apps/$1/src/[^/]+/(persistence|clients)/' },
    },
    {
      name: 'outbound-never-imports-inbound',
      severity: 'error',
      comment: 'persistence/ and clients/ implement ports; they call nobody back.',
      from: { path: `${capability}(persistence|clients)/`, pathNot: testCode },
      to: { path: '^apps/$1/src/[^/]+/(http|events|jobs)/' },
    },
    {
      name: 'capability-only-through-its-index',
      comment:
        'Another capability is known by its index.ts; what is behind it may move. Domain files name the domain file they need.',
      severity: 'error',
      from: { path: capability, pathNot: `${testCode}|/domain/` },
      to: {
        path: '^apps/$1/src/[^/]+/',
        pathNot: ['^apps/$1/src/$2/', '^apps/$1/src/[^/]+/index\\.ts$', '^apps/$1/src/config/env\\.ts$'],
      },
    },
    {
      name: 'reached-from-main',
      comment:
        'A file that main.ts does not reach takes no part in its service: a consumer or controller that no module lists, say. Workers and preloads are started by their path.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/main\\.tsx?$' },
      to: { path: '^apps/[^/]+/src/', pathNot: `${testCode}|/main\\.tsx?$|\\.(worker|preload)\\.ts$`, reachable: false },
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
      comment: 'libs/dto and libs/crypto outlive frameworks: zod, class-validator and Node only.',
      severity: 'error',
      from: { path: '^libs/(dto|crypto)/src/', pathNot: testCode },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|class-validator)/' },
    },
    {
      name: 'no-development-package-in-a-service',
      comment: 'What runs in production is in dependencies.',
      severity: 'error',
      // Pages are built: what they are made of is in them, and no service loads it.
      from: { path: '^(apps|libs)/', pathNot: `${testCode}|^apps/portal-web/` },
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
      comment:
        'What operates a platform knows nothing of what runs one here; what runs one, nothing of what proves or measures it.',
      from: { path: `^tools/${group}/` },
      to: { path: `^tools/(${others})/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|tools/check/architecture/canary|tools/prove/contracts/clients)/|^(apps|libs|tools)/.*\\.d\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
    parser: 'swc',
  },
};
