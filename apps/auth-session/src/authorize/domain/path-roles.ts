import type { AccountType, Identity, Role } from '@paycode/dto';

/** Who may use a path. */
export type PathRule =
  | { kind: 'OPEN' }
  | { kind: 'ANY_ACCOUNT' }
  | { kind: 'ROLE'; role: Role }
  | { kind: 'ACCOUNT_TYPES'; types: readonly AccountType[] }
  | { kind: 'NOBODY' };

/** Who serves a path: the audience of what is asserted about its callers. The payment core is known by the name of its stand-in. */
export type PathService = 'notification-config' | 'webhook-dispatcher' | 'payment-simulator';

/** What the table says of a path: its rule, and who serves it; nobody where no caller is asserted. */
export type PathEntry = PathRule & { service?: PathService };

/** The table of spec 5.5 with 4.3 and A-46. Prefixes are whole segments; matched on `rolePath`. */
const table: readonly (readonly [prefix: string, entry: PathEntry])[] = [
  ['/public', { kind: 'OPEN' }],
  ['/authentication', { kind: 'OPEN' }],
  ['/code', { kind: 'ROLE', role: 'EXTERNAL', service: 'payment-simulator' }],
  ['/purchase', { kind: 'ROLE', role: 'EXTERNAL', service: 'webhook-dispatcher' }],
  ['/remote', { kind: 'ANY_ACCOUNT', service: 'payment-simulator' }],
  ['/provision', { kind: 'ANY_ACCOUNT', service: 'payment-simulator' }],
  ['/stk', { kind: 'ROLE', role: 'STK', service: 'payment-simulator' }],
  // INTERNAL is given to no account, so this is NOBODY in effect; it stays in the table as the document states it (T-27).
  ['/internal', { kind: 'ROLE', role: 'INTERNAL' }],
  [
    '/portal/restful/merchant/notification',
    { kind: 'ACCOUNT_TYPES', types: ['PSP', 'ACQUIRER'], service: 'notification-config' },
  ],
];

/** The rule of a normalised path without its `/pluto`; a path the table does not know is open to nobody. */
export function ruleFor(rolePath: string): PathEntry {
  const entry = table.find(([prefix]) => rolePath === prefix || rolePath.startsWith(`${prefix}/`));
  return entry?.[1] ?? { kind: 'NOBODY' };
}

/** Paths that answer personal data: of payers (getNotification), of merchants' recipients (list). */
const personalData = ['/purchase', '/portal/restful/merchant/notification'];

/** The table's prefix of a path that answers personal data, undefined for any other. */
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
