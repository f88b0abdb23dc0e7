import { Injectable } from '@nestjs/common';
import { Clock } from '@paycode/service-runtime/timing';
import { guesserOf, guessKeys, type GuessRule, GuessStore, KnownBlocks, retryAfterS } from '@paycode/access/guessing';
import { tooManyTries } from './guess-limiter';

const minuteMs = 60_000;

/** Costly work an address may ask for per minute, counted over all replicas before the work is done (T-02). */
@Injectable()
export class MinuteQuota {
  private readonly known = new KnownBlocks();

  constructor(
    private readonly store: GuessStore,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 429 with Retry-After once `perMinute` units were taken within the minute that began with the first of them */
  async take(address: string, perMinute: number): Promise<void> {
    const nowMs = this.clock.epochMs();
    const key = guessKeys.challenges(guesserOf(address));
    const knownMs = this.known.lastOf([key], nowMs);
    if (knownMs > 0) throw tooManyTries(retryAfterS(knownMs, nowMs));
    const [taken] = await this.store.count([{ key, rule: ruleOf(perMinute) }], nowMs);
    if (taken!.blockedUntilMs > nowMs) this.known.add(key, taken!.blockedUntilMs, nowMs);
    if (!taken!.isCounted) throw tooManyTries(retryAfterS(taken!.blockedUntilMs, nowMs));
  }

  /** Charges further units for work on invalid input. */
  async charge(address: string, perMinute: number, units: number): Promise<void> {
    const key = guessKeys.challenges(guesserOf(address));
    const charges = Array.from({ length: units }, () => ({ key, rule: ruleOf(perMinute) }));
    await this.store.count(charges, this.clock.epochMs());
  }
}

function ruleOf(perMinute: number): GuessRule {
  return { freeTries: perMinute - 1, delayFirstMs: minuteMs, delayMaxMs: minuteMs, memoryMs: minuteMs, memorySince: 'FIRST_TRY' };
}
