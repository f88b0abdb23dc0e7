import { Inject, Injectable } from '@nestjs/common';
import {
  type CountedKey,
  guesserOf,
  guessKeys,
  type GuessRule,
  GuessStore,
  KnownBlocks,
  retryAfterS,
} from '@paycode/access/guessing';
import { isGeneratedApiPassword } from '@paycode/crypto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { counter } from '@paycode/service-runtime/metrics';
import { Clock } from '@paycode/service-runtime/timing';
import { SecurityLog } from '../audit/security-log';

/** After so many failures of one account an operator is alerted, from any addresses and regardless of successes in between (T-05). */
const alertEvery = 100;

const failuresTotal = counter('paycode_auth_session_failures_total', 'Wrong credentials.', ['way']);
const delayedTotal = counter('paycode_auth_session_delayed_total', 'Wrong credentials refused because of earlier ones.', ['way']);
const alertsTotal = counter('paycode_auth_session_guessing_alerts_total', 'Accounts under sustained guessing.');

/** One try with credentials. */
interface GuessAttempt {
  way: 'basic' | 'login';
  identity: string;
  password: string;
  address: string;
  requestId: string;
}

/** Tries without an identity: only their address can be counted. */
type NamelessAttempt = Omit<GuessAttempt, 'identity' | 'password'>;

/** Result of checking the credentials. */
export interface GuessVerdict {
  isRight: boolean;
  /** The account they were meant for, null when there is none. */
  account: string | null;
}

export const GUESS_RULES = Symbol('GUESS_RULES');

export interface GuessRules {
  /** One identity from one address. */
  pair: GuessRule;
  /** One address, whatever the identity. */
  address: GuessRule;
  /** One identity, whatever the address: counted for the alert, never made to wait. */
  account: GuessRule;
}

interface CountedAttempt {
  attempt: NamelessAttempt;
  keys: Buffer[];
  /** Whether a wait begins with this try. */
  beginsDelay: boolean;
}

/**
 * Right credentials always pass, whatever happened before. Wrong ones are counted by one atomic statement, per identity + address and per
 * address, and refused with a growing wait (T-05, ADR 0028). Right credentials cost no statement here.
 */
@Injectable()
export class GuessLimiter {
  private readonly known = new KnownBlocks();

  constructor(
    private readonly store: GuessStore,
    @Inject(GUESS_RULES) private readonly rules: GuessRules,
    private readonly clock: Clock,
    private readonly securityLog: SecurityLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks the credentials and counts the try unless they are right. A password that the service cannot have generated is counted before it is
   * checked, so that guesses of human-chosen passwords are never checked faster than they are counted. @throws DomainError 429 with Retry-After
   */
  judge<V extends GuessVerdict>(attempt: GuessAttempt, check: () => Promise<V>): Promise<V> {
    return isGeneratedApiPassword(attempt.password) ? this.checkThenCount(attempt, check) : this.countThenCheck(attempt, check);
  }

  /** Counts unreadable credentials against their address. @throws DomainError 429 */
  async failed(attempt: NamelessAttempt): Promise<void> {
    const counted = await this.count(attempt, [{ key: guessKeys.address(guesserOf(attempt.address)), rule: this.rules.address }]);
    await this.report(counted, null);
  }

  private async checkThenCount<V extends GuessVerdict>(attempt: GuessAttempt, check: () => Promise<V>): Promise<V> {
    let verdict: V;
    try {
      verdict = await check();
    } catch (error) {
      await this.countUnchecked(attempt);
      throw error;
    }
    if (!verdict.isRight) await this.failedGuess(await this.countGuess(attempt), attempt.identity, verdict.account);
    return verdict;
  }

  private async countThenCheck<V extends GuessVerdict>(attempt: GuessAttempt, check: () => Promise<V>): Promise<V> {
    const counted = await this.countGuess(attempt);
    const verdict = await check();
    if (verdict.isRight) await this.store.giveBack(counted.keys);
    else await this.failedGuess(counted, attempt.identity, verdict.account);
    return verdict;
  }

  /** Counts a try that could not be checked, so that it cannot be repeated without a limit. */
  private async countUnchecked(attempt: GuessAttempt): Promise<void> {
    try {
      await this.countGuess(attempt);
    } catch (error) {
      // Without the database nothing is counted; the caller's own error reports that.
      if (error instanceof DomainError) throw error;
    }
  }

  private countGuess(attempt: GuessAttempt): Promise<CountedAttempt> {
    const guesser = guesserOf(attempt.address);
    return this.count(attempt, [
      { key: guessKeys.pair(attempt.identity, guesser), rule: this.rules.pair },
      { key: guessKeys.address(guesser), rule: this.rules.address },
    ]);
  }

  private async count(attempt: NamelessAttempt, counted: CountedKey[]): Promise<CountedAttempt> {
    const nowMs = this.clock.epochMs();
    const keys = counted.map(({ key }) => key);
    refuseUntil(this.known.lastOf(keys, nowMs), attempt, nowMs);
    const tries = await this.store.count(counted, nowMs);
    tries.forEach(({ blockedUntilMs }, index) => {
      if (blockedUntilMs > nowMs) this.known.add(keys[index]!, blockedUntilMs, nowMs);
    });
    const beginsDelay = tries.some((one, index) => one.isCounted && one.failures === counted[index]!.rule.freeTries + 1);
    const refusals = tries.filter(({ isCounted }) => !isCounted).map(({ blockedUntilMs }) => blockedUntilMs);
    if (refusals.length > 0 && beginsDelay) await this.record('GUESSING_DELAYED', attempt, null);
    refuseUntil(Math.max(0, ...refusals), attempt, nowMs);
    return { attempt, keys, beginsDelay };
  }

  private async failedGuess(counted: CountedAttempt, identity: string, account: string | null): Promise<void> {
    // Counts identities without an account too, so that their answer is not faster (T-06).
    const [ofAccount] = await this.store.count(
      [{ key: guessKeys.account(identity), rule: this.rules.account }],
      this.clock.epochMs(),
    );
    await this.report(counted, account);
    const { failures } = ofAccount!;
    if (account !== null && failures % alertEvery === 0) await this.alert(counted.attempt, account, failures);
  }

  private async report({ attempt, beginsDelay }: CountedAttempt, account: string | null): Promise<void> {
    failuresTotal.inc({ way: attempt.way });
    if (beginsDelay) await this.record('GUESSING_DELAYED', attempt, account);
  }

  private async alert(attempt: NamelessAttempt, account: string, count: number): Promise<void> {
    alertsTotal.inc();
    const fields = { event: 'guessing-alert', username: account, address: attempt.address, count, requestId: attempt.requestId };
    this.logger.error(fields, 'sustained guessing at an account');
    await this.record('GUESSING_ALERT', attempt, account);
  }

  private record(kind: 'GUESSING_DELAYED' | 'GUESSING_ALERT', attempt: NamelessAttempt, subject: string | null): Promise<void> {
    const { address, requestId, way } = attempt;
    return this.securityLog.record({ kind, subject, origin: { actor: 'client', address, requestId }, detail: way });
  }
}

function refuseUntil(untilMs: number, { way }: NamelessAttempt, nowMs: number): void {
  if (untilMs === 0) return;
  delayedTotal.inc({ way });
  throw tooManyTries(retryAfterS(untilMs, nowMs));
}

export function tooManyTries(seconds: number): DomainError {
  return new DomainError({
    status: 429,
    reason: 'TOO_MANY_TRIES',
    message: 'Too Many Requests',
    headers: { 'retry-after': String(seconds) },
  });
}

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
