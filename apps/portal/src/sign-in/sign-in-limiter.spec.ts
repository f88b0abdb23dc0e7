import { blockedUntilMs, type CountedKey, type CountedTry, GuessStore } from '@paycode/access/guessing';
import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { GuessingWatch, SignInLimiter } from './sign-in-limiter';

/** Counts of one process. */
class MemoryGuesses extends GuessStore {
  private readonly counts = new Map<string, { failures: number; lastFailedAtMs: number; forgetAtMs: number }>();

  count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]> {
    return Promise.resolve(keys.map(({ key, rule }) => this.countOne(key.toString('hex'), rule, nowMs)));
  }

  giveBack(keys: readonly Buffer[]): Promise<void> {
    for (const key of keys) this.counts.get(key.toString('hex'))!.failures -= 1;
    return Promise.resolve();
  }

  private countOne(key: string, rule: CountedKey['rule'], nowMs: number): CountedTry {
    const before = this.counts.get(key) ?? { failures: 0, lastFailedAtMs: nowMs, forgetAtMs: nowMs + rule.memoryMs };
    const untilMs = blockedUntilMs(before, rule);
    if (untilMs > nowMs) return { isCounted: false, failures: before.failures, blockedUntilMs: untilMs };
    const count = { ...before, failures: before.failures + 1, lastFailedAtMs: nowMs };
    this.counts.set(key, count);
    return { isCounted: true, failures: count.failures, blockedUntilMs: blockedUntilMs(count, rule) };
  }
}

describe('guesses at a person of the portal (T-05)', () => {
  const error = jest.fn();
  let limiter: SignInLimiter;

  beforeEach(() => {
    register.resetMetrics();
    error.mockReset();
    const store = new MemoryGuesses();
    const watch = new GuessingWatch(store, { error } as unknown as Logger);
    limiter = new SignInLimiter(store, watch, { perPerson: 5, perAddress: 50 });
  });

  const wrong = () => Promise.resolve(undefined);
  const at = (address: string, { way = 'password', personId = 'p-1' as string | null } = {}) => ({
    identity: `${way}:${personId ?? 'nobody@shop.example'}`,
    address,
    personId: () => Promise.resolve(personId),
  });
  const guessFrom = async (from: number, to: number, who = {}) => {
    for (let each = from; each < to; each++) await limiter.judge(at(`192.0.2.${each}`, who), wrong);
  };
  const valueOf = async (metric: string, labels = '') => {
    const text = await register.getSingleMetricAsString(`paycode_portal_${metric}`);
    return Number(new RegExp(`^paycode_portal_${metric}${labels.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };

  it('100 from any addresses alert, also with right ones in between; 99 do not', async () => {
    await guessFrom(0, 60);
    await limiter.judge(at('198.51.100.1'), () => Promise.resolve('right'));
    await guessFrom(60, 99);
    expect(await valueOf('guessing_alerts_total')).toBe(0);
    await guessFrom(99, 100);
    expect(await valueOf('guessing_alerts_total')).toBe(1);
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ subject: 'p-1', count: 100, reason: 'password' }),
      expect.any(String),
    );
  });

  it('guesses at an address that nobody has raise no alert', async () => {
    await guessFrom(0, 200, { personId: null });
    expect(await valueOf('guessing_alerts_total')).toBe(0);
    expect(await valueOf('sign_in_failures_total', '{way="password"}')).toBe(200);
  });

  it('a code is counted as a code, and what must wait is counted as refused and not as wrong', async () => {
    const tries = Array.from({ length: 8 }, () => limiter.judge(at('192.0.2.1', { way: 'code' }), wrong).catch(() => 'refused'));
    const refused = (await Promise.all(tries)).filter(outcome => outcome === 'refused').length;
    expect(refused).toBeGreaterThan(0);
    expect(await valueOf('sign_in_failures_total', '{way="code"}')).toBe(8 - refused);
    expect(await valueOf('sign_in_delayed_total', '{way="code"}')).toBe(refused);
  });
});
