import type { AccountType, Role } from '@paycode/dto';
import { rolesOf } from '../../accounts/domain/account';
import { permits, personalDataOf, ruleFor } from './path-roles';

const types: AccountType[] = ['MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER'];
const allowed = (path: string) =>
  types.filter(accountType => permits(ruleFor(path), { accountType, roles: rolesOf(accountType) }));

describe('the path-role table', () => {
  it.each([
    ['/public', 'OPEN'],
    ['/public/x', 'OPEN'],
    ['/publicx', 'NOBODY'],
    ['/Public/x', 'NOBODY'],
    ['/authentication/login', 'OPEN'],
    ['/', 'NOBODY'],
    ['', 'NOBODY'],
    ['/portal/restful/merchant', 'NOBODY'],
  ])('%s is %s (R-5.5-1, R-5.4-2)', (path, kind) => {
    expect(ruleFor(path).kind).toBe(kind);
  });

  it('roles and the paths that they may call (A-42)', () => {
    expect(allowed('/code/create')).toEqual(['MERCHANT', 'PSP']);
    expect(allowed('/stk/x')).toEqual(['STK']);
    expect(allowed('/relay/dev')).toEqual(['MERCHANT', 'PSP']);
    expect(allowed('/remote/v4/lookup')).toEqual(types);
    expect(allowed('/portal/restful/merchant/notification/list')).toEqual(['PSP', 'ACQUIRER']);
  });

  it('nobody may call a path that the table does not know, and everybody an open one (R-5.5-1)', () => {
    const psp = { accountType: 'PSP', roles: rolesOf('PSP') } as const;
    expect(['/', '/publicx', '/portal', '/public/pay'].map(path => permits(ruleFor(path), psp))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('a path for accounts leads to exactly one service, any other to none (T-26)', () => {
    expect(['/code/1', '/purchase/notification/1', '/remote/v4/lookup'].map(path => ruleFor(path).service)).toEqual([
      'payment-simulator',
      'webhook-dispatcher',
      'payment-simulator',
    ]);
    expect(ruleFor('/purchase/notifications')).toEqual({ kind: 'ROLE', role: 'EXTERNAL', service: 'portal' });
    expect(ruleFor('/portal/restful/merchant/notification/list').service).toBe('notification-config');
    expect(['/public/pay', '/authentication/login', '/internal/x', '/'].map(path => ruleFor(path).service)).toEqual(
      Array(4).fill(undefined),
    );
  });

  it.each([
    ['/purchase', '/purchase'],
    ['/purchase/notification/1', '/purchase'],
    ['/portal/restful/merchant/notification/list', '/portal/restful/merchant/notification'],
    ['/purchases/1', undefined],
    ['/code/create', undefined],
    ['/x/purchase', undefined],
  ])('for %s the log of personal data names %s (T-17)', (path, prefix) => {
    expect(personalDataOf(path)).toBe(prefix);
  });

  it('no account type carries INTERNAL (T-27, R-5.5-5)', () => {
    expect(types.flatMap(rolesOf)).not.toContain('INTERNAL' satisfies Role);
    expect(allowed('/internal/accounts')).toEqual([]);
  });
});
