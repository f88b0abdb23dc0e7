import type { AccountType, Identity, Role } from '@paycode/dto';

/** The callers that may use a path. */
export type PathRule =
  | { kind: 'OPEN' }
  | { kind: 'ANY_ACCOUNT' }
  | { kind: 'ROLE'; role: Role }
  | { kind: 'ACCOUNT_TYPES'; types: readonly AccountType[] }
  | { kind: 'NOBODY' };

/** The service of a path, which is the audience of its callers' assertions. The payment core has the name of the simulator here. */
export type PathService = 'notification-config' | 'webhook-dispatcher' | 'payment-simulator' | 'portal' | 'api-gateway';

/** Entry of a path: its rule and its service. Paths without identity assertion have no service. */
export type PathEntry = PathRule & { service?: PathService };

/** The table of spec 5.5 with 4.3 and A-46. Prefixes are whole segments; matched on `rolePath`. */
const table: readonly (readonly [prefix: string, entry: PathEntry])[] = [
  ['/public', { kind: 'OPEN' }],
  ['/authentication', { kind: 'OPEN' }],
  // Browsers of people: the portal has sessions of its own, and looks at them itself.
  ['/console', { kind: 'OPEN' }],
  ['/code', { kind: 'ROLE', role: 'EXTERNAL', service: 'payment-simulator' }],
  // The list reads what the portal keeps of events.
  ['/purchase/notifications', { kind: 'ROLE', role: 'EXTERNAL', service: 'portal' }],
  ['/purchase', { kind: 'ROLE', role: 'EXTERNAL', service: 'webhook-dispatcher' }],
  // Relays of a sandbox, which the gateway itself serves; elsewhere 404.
  ['/relay', { kind: 'ROLE', role: 'EXTERNAL', service: 'api-gateway' }],
  ['/remote', { kind: 'ANY_ACCOUNT', service: 'payment-simulator' }],
  ['/provision', { kind: 'ANY_ACCOUNT', service: 'payment-simulator' }],
  ['/stk', { kind: 'ROLE', role: 'STK', service: 'payment-simulator' }],
  // No account has the role INTERNAL, so nobody passes. The row is here because the specification states it (T-27).
  ['/internal', { kind: 'ROLE', role: 'INTERNAL' }],
  [
    '/portal/restful/merchant/notification',
    { kind: 'ACCOUNT_TYPES', types: ['PSP', 'ACQUIRER'], service: 'notification-config' },
  ],
];

/** The rule of a normalised path without its `/pluto`; nobody may use a path that is not in the table. */
export function ruleFor(rolePath: string): PathEntry {
  const entry = table.find(([prefix]) => rolePath === prefix || rolePath.startsWith(`${prefix}/`));
  return entry?.[1] ?? { kind: 'NOBODY' };
}

/** Paths that return personal data: of payers (getNotification) and of merchants' recipients (list). */
const personalData = ['/purchase', '/portal/restful/merchant/notification'];

/** The prefix of a path that returns personal data, undefined for all other paths. */
export function personalDataOf(rolePath: string): string | undefined {
  return personalData.find(prefix => rolePath === prefix || rolePath.startsWith(`${prefix}/`));
}

/** Whether an authenticated caller may use a path of that rule. */
export function permits(rule: PathRule, caller: Pick<Identity, 'accountType' | 'roles'>): boolean {
  switch (rule.kind) {
    case 'OPEN':
    case 'ANY_ACCOUNT':
      return true;
    case 'ROLE':
      return caller.roles.includes(rule.role);
    case 'ACCOUNT_TYPES':
      return rule.types.includes(caller.accountType);
    case 'NOBODY':
      return false;
  }
}
