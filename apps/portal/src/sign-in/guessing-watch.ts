import { Inject, Injectable } from '@nestjs/common';
import { counter } from '@paycode/metrics';
import { guessDelays, guessKeys, type GuessRule, GuessStore } from '@paycode/guessing';
import { LOGGER, type Logger } from '@paycode/service-runtime';

const ways = ['password', 'code', 'passkey', 'sso'] as const;
/** What was wrong: a password, the code of an app, the answer of a passkey, or that of a provider. */
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

/** Of `password:<email>`, `code:<person>` `passkey:<person>` and `sso:<company>`. */
function wayOf(identity: string): Way {
  return ways.find(way => identity.startsWith(`${way}:`)) ?? 'password';
}
