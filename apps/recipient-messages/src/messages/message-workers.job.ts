import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '@paycode/dto';
import type { Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import type { SendMessages } from './send-messages';

export interface MessageWorkersOptions {
  log: Logger;
  /** Longest pause between two checks of an empty queue, in milliseconds. */
  idleMs: number;
  /** Gives up old messages and drops finished ones. */
  tidy(): Promise<void>;
}

const tidyEveryMs = 600_000;
/** A message that is due and that another replica takes at this moment is no reason to look again at once. */
const pauseMsMin = 100;
const faultWaitMs = 5_000;
const stopMsMax = 3_000;

/** One loop per channel, so that a hanging channel delays neither the other channel nor any delivery. */
export class MessageWorkersJob {
  private tasks: PeriodicTask[] = [];
  private tidyTimer: NodeJS.Timeout | undefined;
  /** Channels whose last round sent something, so that the next one need not look first. */
  private readonly sendingOn = new Set<Channel>();

  constructor(
    private readonly sending: SendMessages,
    private readonly options: MessageWorkersOptions,
  ) {}

  start(): void {
    const { idleMs } = this.options;
    const failed = (error: unknown) => this.warn(error);
    this.tasks = this.sending.channels.map(channel =>
      new PeriodicTask(() => this.round(channel), { everyMs: idleMs, afterFaultMs: faultWaitMs, failed }).start(),
    );
    this.tidyTimer = setInterval(() => void this.options.tidy().catch(failed), tidyEveryMs).unref();
  }

  /** There are new messages. */
  wake(): void {
    this.sending.lookAgain();
    this.tasks.forEach(task => task.wake());
  }

  /** Resolves when the messages in progress are done, or after a short time; another replica tries hanging messages again. */
  async stop(): Promise<void> {
    clearInterval(this.tidyTimer);
    const patience = new AbortController();
    await Promise.race([Promise.all(this.tasks.map(task => task.stop())), rested(stopMsMax, patience.signal)]);
    patience.abort();
  }

  /** Resolves to the pause before the next round. All channels of an idle queue are looked at by one statement. */
  private async round(channel: Channel): Promise<number> {
    const wasSending = this.sendingOn.delete(channel);
    const dueMs = wasSending ? 0 : ((await this.sending.nextDueMs(channel)) ?? Infinity);
    if (dueMs > 0) return Math.min(this.options.idleMs, Math.max(pauseMsMin, dueMs));
    if ((await this.sending.sendDue(channel)) > 0) this.sendingOn.add(channel);
    else if (!wasSending) return pauseMsMin;
    return 0;
  }

  private warn(err: unknown): void {
    this.options.log.warn({ event: 'message-worker-fault', err }, 'recipient messages wait because of a fault');
  }
}

async function rested(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait, and the wait cannot fail in another way.
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
