/** Framework-free code of one project, mutated by Stryker and judged by the unit specs of the same project. */
export interface StrykerArea {
  area: string;
  /** The project, whose unit specs run. */
  project: string;
  /** Globs from the root. Code that only integration specs reach is not among them: faults are seeded there by hand. */
  files: readonly string[];
  /** Specs that judge it, as a glob from the project. Default: all its unit specs. Fewer where rules have specs of their own: it is quicker. */
  specs?: string;
  /** Small files of which every mutant is caught: the sample of CI may draw them. */
  sampled?: readonly string[];
}

const domainOf = (app: string) => `apps/${app}/src/**/domain/**/*.ts`;
const dispatcher = 'apps/webhook-dispatcher/src';
const scheduler = 'apps/reversal-scheduler/src';

export const strykerAreas: readonly StrykerArea[] = [
  { area: 'gateway rules', project: 'apps/api-gateway', files: [domainOf('api-gateway')] },
  { area: 'auth-session rules', project: 'apps/auth-session', files: [domainOf('auth-session')] },
  { area: 'notification rules', project: 'apps/notification-config', files: [domainOf('notification-config')] },
  { area: 'portal rules', project: 'apps/portal', files: [domainOf('portal')] },
  {
    area: 'dispatcher rules',
    project: 'apps/webhook-dispatcher',
    files: [domainOf('webhook-dispatcher')],
    specs: '**/domain/**/*.spec.ts',
  },
  {
    area: 'dispatcher decisions',
    project: 'apps/webhook-dispatcher',
    files: [
      `${dispatcher}/posting/{ack-deadlines,handshake-gate}.ts`,
      `${dispatcher}/routes/route-cache.ts`,
      `${dispatcher}/takeover/close-overdue.ts`,
      `${dispatcher}/verdicts/settle-reversals.ts`,
    ],
  },
  {
    area: 'scheduler rules',
    project: 'apps/reversal-scheduler',
    files: [domainOf('reversal-scheduler')],
    specs: 'src/reversal/{,domain/}!(*.consumer|*.job).spec.ts',
  },
  {
    area: 'scheduler decisions',
    project: 'apps/reversal-scheduler',
    files: [`${scheduler}/reversal/{arm-reversals,decide-reversals,reversal-timers,watch-terminals}.ts`],
    specs: 'src/reversal/!(*.consumer|*.job).spec.ts',
  },
  { area: 'message rules', project: 'apps/recipient-messages', files: [domainOf('recipient-messages')] },
  {
    area: 'ownership',
    project: 'libs/ownership',
    files: ['libs/ownership/src/{assignment,failure-detector,shard-ownership}.ts'],
    sampled: ['libs/ownership/src/assignment.ts'],
  },
  {
    area: 'timing',
    project: 'libs/service-runtime',
    files: ['libs/service-runtime/src/timing/{backoff,deadline-heap,periodic-task,token-bucket}.ts'],
  },
  { area: 'isolation', project: 'libs/persistence', files: ['libs/persistence/src/isolate.ts'] },
  { area: 'outbound rules', project: 'libs/safe-http', files: ['libs/safe-http/src/policy/url-rules.ts'] },
  { area: 'standalone rules', project: 'apps/standalone', files: [domainOf('standalone')] },
  { area: 'simulator rules', project: 'apps/payment-simulator', files: [domainOf('payment-simulator')] },
  {
    area: 'access',
    project: 'libs/access',
    files: [
      'libs/access/src/path/*.ts',
      'libs/access/src/service-token/{known-callers,service-token}.ts',
      'libs/access/src/identity/identity-keys.ts',
    ],
    sampled: ['libs/access/src/service-token/known-callers.ts', 'libs/access/src/identity/identity-keys.ts'],
  },
  { area: 'crypto', project: 'libs/crypto', files: ['libs/crypto/src/**/*.ts'] },
  { area: 'contracts', project: 'libs/dto', files: ['libs/dto/src/**/*.ts'] },
];
