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
import { GuessingWatch } from './guessing-watch';

export interface SignInRules {
  perPerson: number;
  perAddress: number;
}

/** `identity` names what is guessed at: `password:<email>`, `code:<person>`; `personId`: whose it is, null when it is nobody's. */
export interface Guess {
  identity: string;
  address: string;
  personId: () => Promise<string | null>;
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
    private readonly watch: GuessingWatch,
    { perPerson, perAddress }: SignInRules,
  ) {
    this.person = { ...guessDelays, freeTries: perPerson };
    this.address = { ...guessDelays, freeTries: perAddress };
  }

  /** @throws DomainError 429 with Retry-After */
  async judge<T>(of: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const guesser = guesserOf(of.address);
    const counted: CountedKey[] = [
      { key: guessKeys.pair(of.identity, guesser), rule: this.person },
      { key: guessKeys.address(guesser), rule: this.address },
    ];
    await this.count(counted, of);
    const found = await check();
    if (found === undefined) await this.watch.failed({ ...of, personId: await of.personId() });
    else await this.store.giveBack(counted.map(({ key }) => key));
    return found;
  }

  private async count(counted: readonly CountedKey[], of: Guess): Promise<void> {
    const nowMs = Date.now();
    const keys = counted.map(({ key }) => key);
    this.refuseUntil(this.known.lastOf(keys, nowMs), { nowMs, of });
    const tries = await this.store.count(counted, nowMs);
    tries.forEach(({ blockedUntilMs }, index) => {
      if (blockedUntilMs > nowMs) this.known.add(keys[index]!, blockedUntilMs, nowMs);
    });
    const refused = tries.filter(({ isCounted }) => !isCounted).map(({ blockedUntilMs }) => blockedUntilMs);
    this.refuseUntil(Math.max(0, ...refused), { nowMs, of });
  }

  private refuseUntil(untilMs: number, { nowMs, of }: { nowMs: number; of: Guess }): void {
    if (untilMs === 0) return;
    this.watch.delayed(of.identity);
    throw tooManyTries(retryAfterS(untilMs, nowMs));
  }
}

function tooManyTries(seconds: number): DomainError {
  return new DomainError({
    status: 429,
    reason: 'TOO_MANY_TRIES',
    message: `too many tries: please wait ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });
}
