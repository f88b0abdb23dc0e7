import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { PaymentWriter } from '../payments/payment-writer';
import { PasskeyStore } from '../passkeys/passkey.store';
import { SessionStore } from './session.store';

const everyMs = 60_000;

/** How long payments are kept, in milliseconds. */
export const PAYMENTS_KEPT_MS = Symbol('PAYMENTS_KEPT_MS');

/**
 * Removes sessions, counts of guesses and payments that ran out, so that no table grows with every sign-in and payment ever made, and challenges
 * that have expired: they can be answered no more.
 */
@Injectable()
export class PurgeJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    sessions: SessionStore,
    passkeys: PasskeyStore,
    payments: PaymentWriter,
    @Inject(PAYMENTS_KEPT_MS) keptMs: number,
    @Inject(LOGGER) logger: Logger,
  ) {
    const task = (purge: () => Promise<void>, what: string) => {
      // The next run does what this one could not.
      const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, `expired ${what} were not removed`);
      return new PeriodicTask(purge, { everyMs, firstAfterMs: everyMs, failed });
    };
    this.tasks = [
      task(() => sessions.purge(), 'sessions'),
      task(() => passkeys.purge(), 'challenges'),
      task(() => payments.purge(keptMs), 'payments'),
    ];
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map(task => task.stop()));
  }
}
