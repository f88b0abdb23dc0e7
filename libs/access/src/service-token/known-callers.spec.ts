import { KnownCallers } from './known-callers';
import { signOperatorToken } from './service-token';

describe('known callers', () => {
  it('are known until their token expires, and only with that very token', () => {
    const known = new KnownCallers();
    const header = `Bearer ${signOperatorToken('o'.repeat(32), 60)}`;
    known.add(header, 'operator');
    const nowMs = Date.now();
    expect(known.find(header, nowMs)).toBe('operator');
    expect(known.find(header, nowMs + 61_000)).toBeUndefined();
    expect(known.find(`${header}x`, nowMs)).toBeUndefined();
    expect(known.find(undefined, nowMs)).toBeUndefined();
  });

  it('a token without an expiry is not remembered', () => {
    const known = new KnownCallers();
    known.add('Bearer e30.e30.x', 'operator');
    expect(known.find('Bearer e30.e30.x', 0)).toBeUndefined();
  });
});
