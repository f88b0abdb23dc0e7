import { ServiceTokenSigner, ServiceTokenVerifier, signOperatorToken } from './service-token';

const old = 'o'.repeat(32);
const current = 'c'.repeat(32);
const operator = 'p'.repeat(32);
const verifier = new ServiceTokenVerifier('reversal-scheduler', { serviceSecrets: [current, old], operatorSecrets: [operator] });

describe('service tokens', () => {
  it('names the caller, with either of two valid secrets', () => {
    for (const secret of [old, current]) {
      const token = new ServiceTokenSigner('webhook-dispatcher', [secret]).tokenFor('reversal-scheduler');
      expect(verifier.callerOf(token)).toBe('webhook-dispatcher');
    }
  });

  it('refuses a token for another service, of another secret, or none', () => {
    expect(verifier.callerOf(new ServiceTokenSigner('webhook-dispatcher', [current]).tokenFor('auth-session'))).toBeUndefined();
    expect(
      verifier.callerOf(new ServiceTokenSigner('webhook-dispatcher', ['x'.repeat(32)]).tokenFor('reversal-scheduler')),
    ).toBeUndefined();
    expect(verifier.callerOf('not-a-token')).toBeUndefined();
  });

  it('T-27: an operator token comes from an operator secret only', () => {
    expect(verifier.callerOf(signOperatorToken(operator, 60))).toBe('operator');
    expect(verifier.callerOf(signOperatorToken(current, 60))).toBeUndefined();
    expect(verifier.callerOf(new ServiceTokenSigner('operator', [current]).tokenFor('reversal-scheduler'))).toBeUndefined();
  });

  it('refuses a short secret', () => {
    expect(() => new ServiceTokenSigner('a', ['short'])).toThrow('fewer than 32');
  });
});
