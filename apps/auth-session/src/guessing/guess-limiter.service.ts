import { Inject, Injectable } from '@nestjs/common';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { Counter } from 'prom-client';
import { SecurityLog } from '../audit';
import { Clock } from '../clock';
import { blockedUntilMs, forgetAfterMs, type GuessCount, type GuessRule, retryAfterS } from './domain/guess-rule';
import { type GuessKeys, guessKeysOf } from './guess-keys';
import { GuessStore } from './guessing.ports';

/** Consecutive failures of one account that call an operator, whatever the addresses they come from (T-05). */
const alertEvery = 100;

const failuresTotal = new Counter({ name: 'paycode_auth_failures_total', help: 'Wrong credentials.', labelNames: ['way'] });
const delayedTotal = new Counter({
  name: 'paycode_auth_delayed_total',
  help: 'Tries refused because of earlier wrong credentials.',
  labelNames: ['way'],
});
const alertsTotal = new Counter({ name: 'paycode_auth_guessing_alerts_total', help: 'Accounts under sustained guessing.' });

/** One try with credentials. */
export interface GuessAttempt {
  way: 'basic' | 'login' | 'challenge';
  identity: string;
  address: string;
  requestId: string;
}

export interface GuessRules {
  /** One identity from one address. */
  pair: GuessRule;
  /** One address, whatever the identity. */
  address: GuessRule;
}

/** Slows down guessing: a growing delay per identity + address and per address, shared by all replicas; never a lasting lock (T-05). */
@Injectable()
export class GuessLimiter {
  constructor(
    private readonly store: GuessStore,
    @Inject('GuessRules') private readonly rules: GuessRules,
    private readonly clock: Clock,
    private readonly securityLog: SecurityLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Tells whether the try may be made now. @throws DomainError 429 with Retry-After */
  async admit(attempt: GuessAttempt): Promise<AdmittedAttempt> {
    const keys = guessKeysOf(attempt.identity, attempt.address);
    const [pair, address, account] = await this.store.read([keys.pair, keys.address, keys.account]);
    const nowMs = this.clock.nowMs();
    const untilMs = Math.max(this.blockMs(pair, this.rules.pair), this.blockMs(address, this.rules.address));
    if (untilMs > nowMs) {
      delayedTotal.inc({ way: attempt.way });
      throw tooManyTries(retryAfterS(untilMs, nowMs));
    }
    return { attempt, keys, isCounted: pair !== undefined || account !== undefined };
  }

  /** The credentials were wrong. `account` is the account they were meant for, null when there is none. */
  async failed({ attempt, keys }: AdmittedAttempt, account: string | null): Promise<void> {
    failuresTotal.inc({ way: attempt.way });
    const counts = await this.store.fail([keys.pair, keys.address, keys.account], this.clock.nowMs());
    if (isFirstDelay(counts[0], this.rules.pair) || isFirstDelay(counts[1], this.rules.address)) {
      await this.report('GUESSING_DELAYED', attempt, account);
    }
    const failures = counts[2]?.failures ?? 0;
    if (account !== null && failures % alertEvery === 0 && failures > 0) await this.alert(attempt, account, failures);
  }

  /** The credentials were right: earlier failures of this identity no longer count. The address keeps its own. */
  async succeeded({ keys, isCounted }: AdmittedAttempt): Promise<void> {
    if (isCounted) await this.store.clear([keys.pair, keys.account]);
  }

  private blockMs(count: GuessCount | undefined, rule: GuessRule): number {
    if (!count || this.clock.nowMs() - count.lastFailedAtMs > forgetAfterMs) return 0;
    return blockedUntilMs(count, rule);
  }

  private async alert(attempt: GuessAttempt, account: string, count: number): Promise<void> {
    alertsTotal.inc();
    const fields = { event: 'guessing-alert', username: account, address: attempt.address, count, requestId: attempt.requestId };
    this.logger.error(fields, 'sustained guessing at an account');
    await this.report('GUESSING_ALERT', attempt, account);
  }

  private report(kind: 'GUESSING_DELAYED' | 'GUESSING_ALERT', attempt: GuessAttempt, subject: string | null): Promise<void> {
    const { address, requestId, way } = attempt;
    return this.securityLog.record({ kind, subject, origin: { actor: 'client', address, requestId }, detail: way });
  }
}

export interface AdmittedAttempt {
  attempt: GuessAttempt;
  keys: GuessKeys;
  /** Whether failures are on record that a success must clear. */
  isCounted: boolean;
}

function isFirstDelay(count: GuessCount | undefined, rule: GuessRule): boolean {
  return count?.failures === rule.freeFailures + 1;
}

export function tooManyTries(seconds: number): DomainError {
  return new DomainError({
    status: 429,
    code: 'TOO_MANY_TRIES',
    message: 'Too Many Requests',
    headers: { 'retry-after': String(seconds) },
  });
}
