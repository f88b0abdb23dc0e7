import { Inject, Injectable } from '@nestjs/common';
import {
  type CountedKey,
  type CountedTry,
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

const ways = ['password', 'code', 'recovery', 'passkey', 'sso', 'invitation'] as const;
/** The credential that was wrong: a password, the code of an app, a recovery code, the answer of a passkey or of a provider, or the secret of an invitation. */
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

/** Of `password:<email>`, `code:<person>`, `recovery:<person>`, `passkey:<person>`, `sso:<state>` and `invitation:<hash>`. */
function wayOf(identity: string): Way {
  return ways.find(way => way === identity.split(':', 1)[0]) ?? 'password';
}

/** Wrong passwords or codes of one address before each further one waits: for one person, and whoever they are for (T-05). */
export interface SignInRules {
  perPerson: number;
  perAddress: number;
}

/** Five, so that a person may err and look it up; fifty for an address, behind which an office may sit. */
export const signInGuesses: SignInRules = { perPerson: 5, perAddress: 50 };

/** `identity` names what is guessed at: `password:<email>`, `code:<person>`; `personId`: whose it is, null when it is nobody's. */
export interface Guess {
  identity: string;
  address: string;
  personId: () => Promise<string | null>;
}

const dayMs = 86_400_000;
/** Wrong codes of an app that one person may give in a day, from anywhere: of a million codes three are right at any time. */
export const codesPerDay = 10;
const daily: GuessRule = {
  freeTries: codesPerDay - 1,
  delayFirstMs: dayMs,
  delayMaxMs: dayMs,
  memoryMs: dayMs,
  memorySince: 'FIRST_TRY',
};

const hourMs = 3_600_000;
const anHour = (most: number): GuessRule => ({
  freeTries: most - 1,
  delayFirstMs: hourMs,
  delayMaxMs: hourMs,
  memoryMs: hourMs,
  memorySince: 'FIRST_TRY',
});
/** Invitations that one person may send in an hour: each is a mail to whom it likes. */
const invitationsPerHour = 5;
/** Forgotten passwords that one address may name in an hour, and mails that one person then gets. */
const forgottenPerHour = 20;
const resetMailsPerHour = 3;

/** The count of a person's wrong codes of its app, whatever their address. */
export function codesKey(personId: string): Buffer {
  return guessKeys.account(`codes-of-a-day:${personId}`);
}

/** First tries of one address past its limit that are looked at at once. */
const firstTriesMax = 4;
/** As many more wait as one address may have connections: a flood of guesses makes the right password slower, and does not shut it out. */
const waitingTriesMax = 1_000;

interface FirstTries {
  running: number;
  waiting: (() => void)[];
}

/**
 * People choose their passwords, so a try is counted before it is looked at and given back when it was right (T-05, ADR 0028): guesses are never
 * checked faster than they are counted, over all replicas. Waits grow as auth-session's do. An address past its limit may be that of many
 * people, so the first try for each of them is still looked at: the right one passes, a wrong one is answered as the address' other tries.
 */
@Injectable()
export class SignInLimiter {
  private readonly known = new KnownBlocks();
  private readonly firstTries = new Map<string, FirstTries>();
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
    const pair = { key: guessKeys.pair(of.identity, guesser), rule: this.person };
    const address = { key: guessKeys.address(guesser), rule: this.address };
    const nowMs = Date.now();
    this.refuseUntil(this.known.lastOf([pair.key], nowMs), { nowMs, of });
    const [ofPair, ofAddress] = await this.count([pair, address], nowMs);
    if (!ofPair!.isCounted) this.refuseUntil(ofPair!.blockedUntilMs, { nowMs, of });
    if (ofAddress!.isCounted) return this.checked({ of, keys: [pair.key, address.key] }, check);
    if (ofPair!.failures > 1) this.refuseUntil(ofAddress!.blockedUntilMs, { nowMs, of });
    const found = await this.inTurn(guesser, { nowMs, of, untilMs: ofAddress!.blockedUntilMs }, () =>
      this.checked({ of, keys: [pair.key] }, check),
    );
    if (found === undefined) this.refuseUntil(ofAddress!.blockedUntilMs, { nowMs, of });
    return found;
  }

  /** As `judge`, for a code of a person's app: no more than ten wrong ones a day, from anywhere. @throws DomainError 429 with Retry-After */
  async judgeCode<T>(of: Guess & { owner: string }, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const key = codesKey(of.owner);
    return this.judge(of, async () => {
      const nowMs = Date.now();
      const [today] = await this.count([{ key, rule: daily }], nowMs);
      if (!today!.isCounted) {
        this.watch.delayed(of.identity);
        throw noMoreCodes(retryAfterS(today!.blockedUntilMs, nowMs));
      }
      const found = await check();
      if (found !== undefined) await this.store.giveBack([key]);
      return found;
    });
  }

  /** @throws DomainError 429 with Retry-After for the sixth invitation of a person in an hour */
  async countInvitation(personId: string): Promise<void> {
    const waitS = await this.waitOf(`invitations:${personId}`, invitationsPerHour);
    const message = `${invitationsPerHour} invitations an hour are the most: please wait ${Math.ceil(waitS / 60)} minutes`;
    if (waitS > 0) throw refused('TOO_MANY_INVITATIONS', message, waitS);
  }

  /** @throws DomainError 429 with Retry-After for an address that named many */
  async countForgotten(address: string): Promise<void> {
    const waitS = await this.waitOf(`forgotten:${guesserOf(address)}`, forgottenPerHour);
    if (waitS > 0) throw tooManyTries(waitS);
  }

  /** false: the person got several in this hour. */
  async mayMailReset(personId: string): Promise<boolean> {
    return (await this.waitOf(`resets:${personId}`, resetMailsPerHour)) === 0;
  }

  /** Counts one more of the hour; the seconds to wait where that is too many. */
  private async waitOf(what: string, most: number): Promise<number> {
    const nowMs = Date.now();
    const [counted] = await this.store.count([{ key: guessKeys.account(what), rule: anHour(most) }], nowMs);
    return counted!.isCounted ? 0 : retryAfterS(counted!.blockedUntilMs, nowMs);
  }

  private async checked<T>(
    { of, keys }: { of: Guess; keys: Buffer[] },
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const found = await check();
    if (found === undefined) await this.watch.failed({ ...of, personId: await of.personId() });
    else await this.store.giveBack(keys);
    return found;
  }

  /** A few at a time for each address, so that guesses from one of them do not take the hashing of the others. @throws DomainError 429 */
  private async inTurn<T>(
    guesser: string,
    refusal: { nowMs: number; of: Guess; untilMs: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const tries = this.firstTries.get(guesser) ?? { running: 0, waiting: [] };
    this.firstTries.set(guesser, tries);
    if (tries.running < firstTriesMax) tries.running += 1;
    else if (tries.waiting.length >= waitingTriesMax) this.refuseUntil(refusal.untilMs, refusal);
    // A try that ends gives its place to the next.
    else await new Promise<void>(resolve => tries.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = tries.waiting.shift();
      if (next) next();
      else if (--tries.running === 0) this.firstTries.delete(guesser);
    }
  }

  private async count(counted: readonly CountedKey[], nowMs: number): Promise<CountedTry[]> {
    const tries = await this.store.count(counted, nowMs);
    tries.forEach(({ blockedUntilMs }, index) => {
      if (blockedUntilMs > nowMs) this.known.add(counted[index]!.key, blockedUntilMs, nowMs);
    });
    return tries;
  }

  private refuseUntil(untilMs: number, { nowMs, of }: { nowMs: number; of: Guess }): void {
    if (untilMs === 0) return;
    this.watch.delayed(of.identity);
    throw tooManyTries(retryAfterS(untilMs, nowMs));
  }
}

function tooManyTries(seconds: number): DomainError {
  return refused('TOO_MANY_TRIES', `too many tries: please wait ${seconds} s`, seconds);
}

function noMoreCodes(seconds: number): DomainError {
  const message =
    'too many wrong codes today: use a recovery code or a passkey, or ask an owner of your account to allow codes again';
  return refused('NO_MORE_CODES', message, seconds);
}

function refused(reason: string, message: string, seconds: number): DomainError {
  return new DomainError({ status: 429, reason, message, headers: { 'retry-after': String(seconds) } });
}
