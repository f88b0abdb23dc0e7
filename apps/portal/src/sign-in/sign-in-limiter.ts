import { Injectable } from '@nestjs/common';
import {
  type CountedKey,
  guessDelays,
  guesserOf,
  guessKeys,
  type GuessRule,
  GuessStore,
  KnownBlocks,
  retryAfterS,
} from '@paycode/guessing';
import { DomainError } from '@paycode/service-runtime';

export interface SignInRules {
  perPerson: number;
  perAddress: number;
}

/**
 * People choose their passwords, so a try is counted before it is looked at and given back when it was right (T-05, ADR 0028): guesses are never
 * checked faster than they are counted, over all replicas. Waits grow as auth-session's do.
 */
@Injectable()
export class SignInLimiter {
  private readonly known = new KnownBlocks();
  private readonly person: GuessRule;
  private readonly address: GuessRule;

  constructor(
    private readonly store: GuessStore,
    { perPerson, perAddress }: SignInRules,
  ) {
    this.person = { ...guessDelays, freeTries: perPerson };
    this.address = { ...guessDelays, freeTries: perAddress };
  }

  /** `identity` names what is guessed at: `password:<email>`, `code:<person>`. @throws DomainError 429 with Retry-After */
  async judge<T>(of: { identity: string; address: string }, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const guesser = guesserOf(of.address);
    const counted: CountedKey[] = [
      { key: guessKeys.pair(of.identity, guesser), rule: this.person },
      { key: guessKeys.address(guesser), rule: this.address },
    ];
    await this.count(counted);
    const found = await check();
    if (found !== undefined) await this.store.giveBack(counted.map(({ key }) => key));
    return found;
  }

  private async count(counted: readonly CountedKey[]): Promise<void> {
    const nowMs = Date.now();
    const keys = counted.map(({ key }) => key);
    refuseUntil(this.known.lastOf(keys, nowMs), nowMs);
    const tries = await this.store.count(counted, nowMs);
    tries.forEach(({ blockedUntilMs }, index) => {
      if (blockedUntilMs > nowMs) this.known.add(keys[index]!, blockedUntilMs, nowMs);
    });
    const refused = tries.filter(({ isCounted }) => !isCounted).map(({ blockedUntilMs }) => blockedUntilMs);
    refuseUntil(Math.max(0, ...refused), nowMs);
  }
}

function refuseUntil(untilMs: number, nowMs: number): void {
  if (untilMs === 0) return;
  const seconds = retryAfterS(untilMs, nowMs);
  throw new DomainError({
    status: 429,
    reason: 'TOO_MANY_TRIES',
    message: `too many tries: please wait ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });
}
