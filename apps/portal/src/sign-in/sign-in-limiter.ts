import { Inject, Injectable } from '@nestjs/common';
import {
  type CountedKey,
  guessDelays,
  guesserOf,
  guessKeys,
  type GuessRule,
  GuessStore,
  KnownBlocks,
  retryAfterS,
} from '@paycode/access/guessing';
import { counter } from '@paycode/service-runtime/metrics';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';

const ways = ['password', 'code', 'passkey', 'sso', 'invitation'] as const;
/** The credential that was wrong: a password, the code of an app, the answer of a passkey, that of a provider, or the secret of an invitation. */
export type Way = (typeof ways)[number];

/** After so many wrong tries for one person an operator is alerted, from any addresses and regardless of right ones in between (T-05). */
const alertEvery = 100;
/** Counted for the alert alone: whoever knows an address could otherwise lock its person out. */
const neverWaits: GuessRule = { ...guessDelays, freeTries: 1_000_000 };

const failuresTotal = counter(
  'paycode_portal_sign_in_failures_total',
  "Wrong passwords, codes, passkeys and providers' answers of people.",
  ['way'],
);
const delayedTotal = counter('paycode_portal_sign_in_delayed_total', 'Tries refused because of earlier ones.', ['way']);
const alertsTotal = counter('paycode_portal_guessing_alerts_total', 'People under sustained guessing.');
for (const way of ways) [failuresTotal, delayedTotal].forEach(each => each.inc({ way }, 0));

/** A wrong try. `personId`: whom it was meant for, null when there is nobody. */
export interface WrongTry {
  identity: string;
  address: string;
  personId: string | null;
}

/** Counts what the waits cannot stop: guesses at one person from many addresses. */
@Injectable()
export class GuessingWatch {
  constructor(
    private readonly store: GuessStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  delayed(identity: string): void {
    delayedTotal.inc({ way: wayOf(identity) });
  }

  /** Counts tries for nobody too, so that their answer is not faster (T-06). */
  async failed({ identity, address, personId }: WrongTry): Promise<void> {
    failuresTotal.inc({ way: wayOf(identity) });
    const [counted] = await this.store.count([{ key: guessKeys.account(identity), rule: neverWaits }], Date.now());
    if (personId === null || counted!.failures % alertEvery !== 0) return;
    alertsTotal.inc();
    this.logger.error(
      { event: 'guessing-alert', subject: personId, address, count: counted!.failures, reason: wayOf(identity) },
      'sustained guessing at a person',
    );
  }
}

/** Of `password:<email>`, `code:<person>`, `passkey:<person>`, `sso:<company>` and `invitation`. */
function wayOf(identity: string): Way {
  return ways.find(way => way === identity.split(':', 1)[0]) ?? 'password';
}

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
