import { KnownCallers } from './known-callers';

describe('known callers', () => {
  const callerUntil = (expiresAtS: number) => ({
    name: 'operator',
    subject: 'alice',
    tokenId: 'token-1',
    issuedAtS: 1_000,
    expiresAtS,
  });

  it('are known until their token expires, and only with that very token', () => {
    const known = new KnownCallers();
    known.add('Bearer token', callerUntil(1_030), 1_000_000);
    expect(known.find('Bearer token', 1_029_999)).toMatchObject({ subject: 'alice' });
    expect(known.find('Bearer token', 1_030_000)).toBeUndefined();
    expect(known.find('Bearer tokenx', 1_000_000)).toBeUndefined();
    expect(known.find(undefined, 1_000_000)).toBeUndefined();
  });

  it('a token is verified again after a minute, so that a withdrawn key ends its tokens (T-27)', () => {
    const known = new KnownCallers();
    known.add('Bearer token', callerUntil(30_000), 1_000_000);
    expect([known.find('Bearer token', 1_059_999), known.find('Bearer token', 1_060_000)]).toEqual([
      callerUntil(30_000),
      undefined,
    ]);
  });

  it('are remembered, up to a thousand', () => {
    const known = new KnownCallers();
    for (let at = 0; at < 1_000; at++) known.add(`Bearer ${at}`, callerUntil(30_000), 1_000_000);
    expect([known.find('Bearer 0', 1_000_000), known.find('Bearer 999', 1_000_000)]).toEqual([
      callerUntil(30_000),
      callerUntil(30_000),
    ]);
  });

  it('are bounded, also under a flood of tokens', () => {
    const known = new KnownCallers();
    for (let at = 0; at <= 1_000; at++) known.add(`Bearer ${at}`, callerUntil(30_000), 1_000_000);
    expect(known.find('Bearer 0', 1_000_000)).toBeUndefined();
    expect(known.find('Bearer 1000', 1_000_000)).toBeDefined();
  });
});
