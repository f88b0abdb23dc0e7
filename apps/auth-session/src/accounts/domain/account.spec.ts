import { identityOf, type Principal, rolesOf } from './account';

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
