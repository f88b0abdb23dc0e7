import jsonwebtoken from 'jsonwebtoken';
import { ServiceTokenKeys, ServiceTokenSigner, signOperatorToken } from './service-token';

const [old, current, operator] = ['o'.repeat(32), 'c'.repeat(32), 'p'.repeat(32)];
const keys = new ServiceTokenKeys('reversal-scheduler', { serviceSecrets: [current, old], operatorSecrets: [operator] });
const callerOf = (token: string): string | undefined => {
  const key = keys.keyFor(token);
  return key && keys.callerOf(jsonwebtoken.verify(token, key, { algorithms: ['HS256'], complete: true }));
};

describe('service token keys', () => {
  it('finds the key of either of two valid secrets', () => {
    for (const secret of [old, current]) {
      expect(callerOf(new ServiceTokenSigner('webhook-dispatcher', [secret]).tokenFor('reversal-scheduler'))).toBe(
        'webhook-dispatcher',
      );
    }
  });

  it('knows no key for a token of another secret or for something that is no token', () => {
    expect(keys.keyFor(new ServiceTokenSigner('webhook-dispatcher', ['x'.repeat(32)]).tokenFor('x'))).toBeUndefined();
    expect(keys.keyFor('not-a-token')).toBeUndefined();
  });

  it('names no caller for a token meant for another service', () => {
    expect(callerOf(new ServiceTokenSigner('webhook-dispatcher', [current]).tokenFor('auth-session'))).toBeUndefined();
  });

  it('T-27: an operator token comes from an operator secret only', () => {
    expect(callerOf(signOperatorToken(operator, 60))).toBe('operator');
    expect(callerOf(signOperatorToken(current, 60))).toBeUndefined();
    expect(callerOf(new ServiceTokenSigner('operator', [current]).tokenFor('reversal-scheduler'))).toBeUndefined();
    expect(callerOf(new ServiceTokenSigner('webhook-dispatcher', [operator]).tokenFor('reversal-scheduler'))).toBeUndefined();
  });

  it('takes a token made by hand without a key id, not one without an expiry', () => {
    const claims = { algorithm: 'HS256', issuer: 'operator', audience: 'paycode-internal' } as const;
    expect(callerOf(jsonwebtoken.sign({}, operator, { ...claims, expiresIn: 60 }))).toBe('operator');
    expect(callerOf(jsonwebtoken.sign({}, operator, claims))).toBeUndefined();
  });

  it('refuses a short secret', () => {
    expect(() => new ServiceTokenSigner('a', ['short'])).toThrow('fewer than 32');
  });
});
