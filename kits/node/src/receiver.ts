/** Decides what to answer to a notification: 200 keeps the payment, anything else reverses it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from './file-store.js';
import { type Notification, openNotification, RefusedBody } from './notification.js';

/** The reason of the answer, for your log. */
export type Reason = ReasonToKeep | ReasonToReverse;
type ReasonToKeep = 'HANDLED' | 'ACCEPTED' | 'REPEAT' | 'PROBE' | 'TEST';
type ReasonToReverse = 'REVERSED' | 'BUSY' | 'TOO_SLOW' | 'HANDLER_FAILED' | 'TOO_LONG' | RefusedBody['code'];

export interface Answer {
  status: number;
  reason: Reason;
  /** With `when: 'AFTER'`: the handler's work. The adapters start it once the answer is sent. It never rejects. */
  after?: () => Promise<void>;
}

export interface ReceiverOptions {
  /** The current keys, read at each notification: one, and during a renewal the new and the old one. */
  keys: () => readonly string[] | Promise<readonly string[]>;
  store: Store;
  /** Your work. It must be idempotent: a process may die after the work and before the store records it. */
  handler: (notification: Notification) => void | Promise<void>;
  /** BEFORE (default): the answer waits for the handler, and a payment that you could not store is reversed. AFTER: the handler runs after the answer 200. */
  when?: 'BEFORE' | 'AFTER';
  /** The answer is sent within this time from the arrival of the request, whatever the handler does, and is not 200 later; the platform waits 45 seconds. */
  answerWithinMs?: number;
  /** Called when the handler, the keys or the store fails, or a body parser was in front of the receiver. Default: console.error. */
  onError?: (error: unknown) => void | Promise<void>;
}

/** The receiver refuses longer bodies (413); a notification is far smaller. */
export const bodyBytesMax = 131_072;
const busyPauseMs = 50;
const tooSlow: Answer = { status: 503, reason: 'TOO_SLOW' };
const printed = (error: unknown): void => console.error('Paycode receiver:', error);
const probe = /^\s*\{\s*"result"\s*:\s*"TEST"\s*\}\s*$/;

export class Receiver {
  private readonly options: Required<ReceiverOptions>;

  constructor(options: ReceiverOptions) {
    this.options = { when: 'BEFORE', answerWithinMs: 40_000, onError: printed, ...options };
  }

  /** The answer to a raw body. `header` gives a header's value by its lower-case name. `arrivedAt`: when the request came, on the clock of `performance`. */
  async receive(
    rawBody: Uint8Array | string,
    header: (name: string) => string | undefined,
    arrivedAt = performance.now(),
  ): Promise<Answer> {
    const dueAt = arrivedAt + this.options.answerWithinMs;
    const answer = await this.answered(rawBody, header, dueAt);
    return answer.status === 200 && performance.now() > dueAt ? tooSlow : answer;
  }

  private async answered(
    rawBody: Uint8Array | string,
    header: (name: string) => string | undefined,
    dueAt: number,
  ): Promise<Answer> {
    if (rawBody.length > bodyBytesMax) return { status: 413, reason: 'TOO_LONG' };
    if (probe.test(Buffer.from(rawBody as string).toString('latin1'))) return { status: 200, reason: 'PROBE' };
    try {
      const notification = openNotification(rawBody, await this.options.keys(), header('x-webhook-key-id'));
      if (header('x-webhook-test') === '1' && isTest(notification)) return { status: 200, reason: 'TEST' };
      return await this.claimed(notification, dueAt);
    } catch (error) {
      return error instanceof RefusedBody ? { status: 400, reason: error.code } : this.failed(error);
    }
  }

  /**
   * Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute; `read` is Client.notification. One
   * that cannot be read stays for the next call, and `onError` is told; the others are handled.
   */
  async resume(read: (transactionId: number) => Promise<Notification>): Promise<void> {
    for (const transactionId of await this.options.store.pending())
      await read(transactionId)
        .then(notification => this.resumed(notification))
        .catch(error => void this.failed(error));
  }

  /** Calls `onError`, and gives the answer that reverses the payment. Never throws: a failing `onError` must not end the process. */
  failed(error: unknown): Answer {
    void (async () => this.options.onError(error))().catch(failure => process.emitWarning(`onError failed: ${String(failure)}`));
    return { status: 500, reason: 'HANDLER_FAILED' };
  }

  private async resumed(notification: Notification): Promise<void> {
    const claim = await this.options.store.claim(notification);
    if (claim === 'NEW') await this.handle(notification, { mayRetry: false });
    if (claim === 'REVERSED') await this.options.store.done(notification.transactionId);
  }

  private async claimed(notification: Notification, dueAt: number): Promise<Answer> {
    const { store, when } = this.options;
    let claim = await store.claim(notification);
    while (claim === 'BUSY' && when === 'BEFORE') {
      if (performance.now() + busyPauseMs > dueAt) return { status: 503, reason: 'BUSY' };
      await pause(busyPauseMs);
      claim = await store.claim(notification);
    }
    if (claim === 'REVERSED') return { status: 409, reason: 'REVERSED' };
    if (claim !== 'NEW') return { status: 200, reason: 'REPEAT' };
    if (performance.now() > dueAt) {
      await store.release(notification.transactionId);
      return tooSlow;
    }
    if (when === 'BEFORE') return this.handledBy(dueAt, notification);
    const after = async (): Promise<void> => void (await this.handle(notification, { mayRetry: false }));
    return { status: 200, reason: 'ACCEPTED', after };
  }

  private async handledBy(dueAt: number, notification: Notification): Promise<Answer> {
    const giveUp = new AbortController();
    const tooLate = pause(Math.max(0, dueAt - performance.now()), tooSlow, giveUp);
    const handled = this.handle(notification, { mayRetry: true });
    // Nothing waits for the loser of the race: an aborted pause rejects, and a handler that runs on ends by itself.
    return Promise.race([handled, tooLate]).finally(() => {
      tooLate.catch(() => undefined); // aborted
      giveUp.abort();
    });
  }

  private async handle(notification: Notification, { mayRetry }: { mayRetry: boolean }): Promise<Answer> {
    try {
      await this.options.handler(notification);
      await this.options.store.done(notification.transactionId);
      return { status: 200, reason: 'HANDLED' };
    } catch (error) {
      // The platform does not repeat after a 200, so the claim stays and resume() finds it.
      if (mayRetry) await this.options.store.release(notification.transactionId).catch(error => void this.failed(error));
      return this.failed(error);
    }
  }
}

/** The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-. */
function isTest({ amount, reference }: Notification): boolean {
  return Number(amount) === 0 && reference.startsWith('TEST-');
}
