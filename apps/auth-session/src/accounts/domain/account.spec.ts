import { type AccountNaming, identityOf, nameAccount, type Principal, rolesOf } from './account';

describe('the identity that services get of an account', () => {
  it.each([
    ['MERCHANT', ['EXTERNAL']],
    ['PSP', ['EXTERNAL']],
    ['STK', ['STK']],
    ['MANAGER', []],
    ['ACQUIRER', []],
  ] as const)('%s has the roles %j (A-42)', (type, roles) => {
    expect(rolesOf(type)).toEqual(roles);
  });

  it('it has name, owner and roles, and nothing of the credentials (T-17)', () => {
    const principal: Principal = {
      id: '7',
      username: 'bank-1',
      type: 'ACQUIRER',
      ownerId: null,
      acquirer: 'Bank One',
      mode: 'BEARER',
      credentialVersion: 3,
      sourceAddresses: ['192.0.2.1'],
      ratePerS: null,
    };
    expect(identityOf(principal)).toStrictEqual({
      subject: 'bank-1',
      accountType: 'ACQUIRER',
      ownerId: null,
      acquirer: 'Bank One',
      roles: [],
    });
  });
});

/** The field that breaks a rule, with that rule. */
const objectionTo = (naming: AccountNaming) => {
  const name = nameAccount(naming);
  return name.ok ? undefined : `${name.field} ${name.rule}`;
};
const stk = (username: string) => objectionTo({ type: 'STK', username });
const longest = 'a'.repeat(128);

describe('the name of an account', () => {
  it.each([
    ['R-2.1-1', { type: 'MANAGER', id: 1 }, { username: 'manager-1', ownerId: 1, acquirer: null }],
    ['R-2.1-2', { type: 'MERCHANT', id: 1001 }, { username: 'merchant-1001', ownerId: 1001, acquirer: null }],
    ['R-2.1-3', { type: 'PSP', id: 7, username: 'psp-7' }, { username: 'psp-7', ownerId: 7, acquirer: null }],
    ['R-2.1-4', { type: 'STK', username: 'till 4/a' }, { username: 'till 4/a', ownerId: null, acquirer: null }],
    ['R-2.1-3', { type: 'PSP', id: 7, username: null, acquirer: null }, { username: 'psp-7', ownerId: 7, acquirer: null }],
    ['R-2.1-4', { type: 'STK', username: 'till', id: null, acquirer: null }, { username: 'till', ownerId: null, acquirer: null }],
    ['A-40', { type: 'ACQUIRER', username: 'bank', acquirer: ' One ' }, { username: 'bank', ownerId: null, acquirer: 'One' }],
  ] as const)('%s: %j is %j', (_, naming, name) => {
    expect(nameAccount(naming)).toStrictEqual({ ok: true, ...name });
  });

  it.each([undefined, 0, -1, 1.5, 2 ** 53])('a merchant needs a positive integer as its id, not %s (R-2.1-2)', id => {
    expect(objectionTo({ type: 'MERCHANT', ...(id === undefined ? {} : { id }) })).toBe('id must be a positive integer');
  });

  it('the name of a merchant is the one of its id (R-2.1-2)', () => {
    expect(objectionTo({ type: 'MERCHANT', id: 1, username: 'merchant-2' })).toBe('username must be merchant-1');
  });

  it('a name that is null counts as missing (R-2.1-4)', () => {
    expect(objectionTo({ type: 'STK', username: null })).toBe('username must have 1 to 128 characters');
    expect(objectionTo({ type: 'MERCHANT', id: null })).toBe('id must be a positive integer');
  });

  it('an STK account has no id and no acquirer (R-2.1-4)', () => {
    expect(objectionTo({ type: 'STK', id: 1, username: 'till' })).toBe('id does not apply to this type');
    expect(objectionTo({ type: 'STK', username: 'till', acquirer: 'One' })).toContain('acquirer is for ACQUIRER accounts');
  });

  it.each([undefined, '', ' '])('an acquirer account needs its acquirer, not %j (A-40)', acquirer => {
    const naming = { type: 'ACQUIRER' as const, username: 'bank', ...(acquirer === undefined ? {} : { acquirer }) };
    expect(objectionTo(naming)).toContain('acquirer is for ACQUIRER accounts');
  });

  it.each([
    ['manager-1', 'has the form reserved'],
    ['PSP-22', 'has the form reserved'],
    ['a:b', 'must not hold a colon'],
    ['a\u0007b', 'must not hold a colon or control'],
    ['.', 'must not be dots alone'],
    ['..', 'must not be dots alone'],
    [' till', 'must not begin or end with a blank'],
    ['till ', 'must not begin or end with a blank'],
    ['', 'must have 1 to 128 characters'],
    [`${longest}a`, 'must have 1 to 128 characters'],
  ])('%j is no name for an STK account: it %s (A-40)', (username, rule) => {
    expect(stk(username)).toContain(`username ${rule}`);
  });

  it('an STK account without a name is refused (A-40)', () => {
    expect(objectionTo({ type: 'STK' })).toContain('username must have 1 to 128 characters');
  });

  it.each(['a', longest, '...', 'psp', 'psp-x', 'my-psp-1', 'psp-1a', 'merchant 1'])('%s may name one (R-2.1-4)', username => {
    expect(stk(username)).toBeUndefined();
  });
});
