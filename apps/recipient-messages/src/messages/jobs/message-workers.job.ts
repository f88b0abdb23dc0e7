import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '@paycode/dto';
import type { Logger } from '@paycode/service-runtime';
import type { SendMessages } from '../send-messages';

export interface MessageWorkersOptions {
  log: Logger;
  /** Pause between two checks of an empty queue, in milliseconds. */
  idleMs: number;
  /** Gives up old messages and drops finished ones. */
  tidy(): Promise<void>;
}

const tidyEveryMs = 600_000;
const faultWaitMs = 5_000;
const stopMsMax = 3_000;

/** One loop per channel, so that a hanging channel delays neither the other channel nor any delivery. */
export class MessageWorkersJob {
  private readonly stopping = new AbortController();
  private loops: Promise<void>[] = [];
  private tidyTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sending: SendMessages,
    private readonly options: MessageWorkersOptions,
  ) {}

  start(): void {
    this.loops = this.sending.channels.map(channel => this.loop(channel));
    this.tidyTimer = setInterval(() => void this.guarded(this.options.tidy), tidyEveryMs).unref();
  }

  /** Resolves when the messages in progress are done, or after a short time; another replica tries hanging messages again. */
  async stop(): Promise<void> {
    clearInterval(this.tidyTimer);
    this.stopping.abort();
    const patience = new AbortController();
    await Promise.race([Promise.all(this.loops), rested(stopMsMax, patience.signal)]);
    patience.abort();
  }

  private async loop(channel: Channel): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const worked = await this.guarded(() => this.sending.sendDue(channel));
      if (worked === undefined) await this.rest(faultWaitMs);
      if (worked === 0) await this.rest(this.options.idleMs);
    }
  }

  /** undefined when the work failed; the failure is logged. */
  private async guarded<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.options.log.warn({ event: 'message-worker-fault', err: error }, 'recipient messages wait because of a fault');
      return undefined;
    }
  }

  private rest(ms: number): Promise<void> {
    return rested(ms, this.stopping.signal);
  }
}

async function rested(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait, and the wait cannot fail in another way.
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
