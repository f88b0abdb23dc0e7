import {
  isTenantWellFormed,
  may,
  passwordProblem,
  readsNotifications,
  type Role,
  roles,
  tenantName,
  type TenantType,
  tenantTypes,
} from './person';

describe('people of the portal', () => {
  it('a viewer and on-call read; who develops may configure; owners and administrators also invite', () => {
    const allowed = Object.fromEntries(
      roles.map(role => [role, (['CONFIGURE', 'INVITE'] as const).filter(permission => may(role, permission, false))]),
    );
    expect(allowed).toEqual({
      VIEWER: [],
      DEVELOPER: ['CONFIGURE'],
      OWNER: ['CONFIGURE', 'INVITE'],
      ON_CALL: [],
      ADMINISTRATOR: ['CONFIGURE', 'INVITE'],
    });
  });

  it('regression: in production only people of merchant and PSP configure, no administrator does (T-52)', () => {
    expect(roles.filter(role => may(role, 'CONFIGURE', true))).toEqual(['DEVELOPER', 'OWNER']);
  });

  it('only roles of the platform are on call, in the sandbox as in production (T-24)', () => {
    for (const isProduction of [false, true])
      expect(roles.filter(role => may(role, 'ON_CALL', isProduction))).toEqual(['ON_CALL', 'ADMINISTRATOR']);
  });

  it.each<[TenantType, string, Role, boolean]>([
    ['MERCHANT', '1001', 'OWNER', true],
    ['PSP', '7', 'VIEWER', true],
    ['MERCHANT', '9007199254740991', 'DEVELOPER', true],
    ['MERCHANT', '9007199254740993', 'DEVELOPER', false],
    ['MERCHANT', '', 'OWNER', false],
    ['MERCHANT', '0', 'OWNER', false],
    ['MERCHANT', '01', 'OWNER', false],
    ['MERCHANT', ' 1', 'OWNER', false],
    ['MERCHANT', '1 ', 'OWNER', false],
    ['PSP', '1.5', 'OWNER', false],
    ['PSP', 'acme', 'OWNER', false],
    ['ACQUIRER', 'acme', 'OWNER', true],
    ['ACQUIRER', ' ', 'OWNER', false],
    ['MERCHANT', '1001', 'ADMINISTRATOR', false],
    ['ACQUIRER', 'acme', 'ON_CALL', false],
    ['OPERATOR', '', 'ADMINISTRATOR', true],
    ['OPERATOR', '', 'ON_CALL', true],
    ['OPERATOR', '', 'OWNER', false],
    ['OPERATOR', '1001', 'ADMINISTRATOR', false],
  ])('a %s %j with the role %s: %s', (...row) => {
    const [tenantType, tenantId, role, isWellFormed] = row;
    expect(isTenantWellFormed({ tenantType, tenantId, role })).toBe(isWellFormed);
  });

  it('says whom somebody works for', () => {
    expect(tenantName({ tenantType: 'PSP', tenantId: '7' })).toBe('psp 7');
    expect(tenantName({ tenantType: 'OPERATOR', tenantId: '' })).toBe('the platform');
  });

  it('what tells who paid is read by those who run the server of the merchant, or of its PSP', () => {
    expect(roles.filter(role => may(role, 'NOTIFICATION', true))).toEqual(['DEVELOPER', 'OWNER']);
    expect(tenantTypes.filter(tenantType => readsNotifications({ tenantType }))).toEqual(['MERCHANT', 'PSP']);
  });

  it('in the sandbox developers may test notifications and renew credentials, in production the owner alone', () => {
    for (const permission of ['TEST', 'CREDENTIALS'] as const) {
      const allowed = (isProduction: boolean) => roles.filter(role => may(role, permission, isProduction));
      expect([permission, allowed(false), allowed(true)]).toEqual([permission, ['DEVELOPER', 'OWNER'], ['OWNER']]);
    }
  });
});

const known = ['Thandi@Shop.example', 'Thandi Mokoena', 'Bo'];
const distinct = 'abcdefghij';

describe('passwords of the portal (NIST SP 800-63B)', () => {
  it.each([
    ['a'.repeat(8) + 'bcd', 'must have at least 12 characters'],
    [distinct + 'kl', undefined],
    [distinct.repeat(12) + 'klmnopqr', undefined],
    [distinct.repeat(12) + 'klmnopqrs', 'must have at most 128 characters'],
    ['abcdabcdabcd', 'must have at least 5 different characters'],
    ['abcdeabcdeab', undefined],
    ['thandi@shop.EXAMPLE', 'must not be your e-mail address or name'],
    ['thandi mokoena', 'must not be your e-mail address or name'],
    ['thandi@shop.example!', undefined],
  ])('%s: %s', (password, problem) => {
    expect(passwordProblem(password, known)).toBe(problem);
  });
});
