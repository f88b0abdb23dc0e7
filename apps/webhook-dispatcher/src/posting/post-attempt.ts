import type { CancelTimer, Clock } from '@paycode/timing';
import type { AttemptOutcome } from '../deliveries';
import type { AckDeadlines } from './ack-deadlines';
import type { PostWindow } from './domain/post-window';
import type { PostFault, PostObserver, WebhookPoster, WebhookRequest } from './posting.ports';

export interface PostContext {
  poster: WebhookPoster;
  deadlines: AckDeadlines;
  clock: Clock;
  /** Whether this replica may start a POST of the delivery now (P-T6). */
  mayPost(): boolean;
}

export interface PostUnderWay {
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when the socket is free for another request or gone. */
  readonly freed: Promise<void>;
}

/** One attempt in progress: it reports events of the connection to its window, and aborts the request when the window ends. */
export class PostAttempt {
  private readonly outcome = Promise.withResolvers<AttemptOutcome>();
  private readonly freed = Promise.withResolvers<void>();
  private cancelDeadline: CancelTimer | undefined;
  /** The request on the wire: the first, or its repetition. */
  private wire: { abort(): void } | undefined;

  private constructor(
    private readonly request: WebhookRequest,
    private readonly window: PostWindow,
    private readonly context: PostContext,
  ) {}

  /** Hands the request to the wire before it returns. */
  static start(request: WebhookRequest, window: PostWindow, context: PostContext): PostUnderWay {
    const attempt = new PostAttempt(request, window, context);
    attempt.watch();
    attempt.send(request);
    return { outcome: attempt.outcome.promise, freed: attempt.freed.promise };
  }

  private send(request: WebhookRequest): void {
    let isRepeated = false;
    const observer: PostObserver & { done(): void } = {
      sent: () => {
        this.window.sent(this.context.clock.nowMs());
        this.watch();
      },
      answered: status => this.end(this.window.answered(status, this.context.clock.nowMs())),
      failed: fault => (isRepeated = this.failed(fault)),
      done: () => {
        if (!isRepeated) this.freed.resolve();
      },
    };
    this.wire = this.context.poster.post(request, observer);
  }

  /** Returns whether the request is repeated. */
  private failed(fault: PostFault): boolean {
    const next = this.window.failed(fault, this.context.clock.nowMs(), this.context.mayPost());
    if (next === 'repeat') this.send({ ...this.request, onFreshSocket: true });
    else this.end(next);
    return next === 'repeat';
  }

  private watch(): void {
    this.cancelDeadline?.();
    if (this.window.isEnded) return;
    this.cancelDeadline = this.context.deadlines.watch(this.window.dueMs, () => {
      this.end(this.window.expired(this.context.clock.nowMs()));
      this.wire?.abort();
    });
  }

  private end(outcome: AttemptOutcome | undefined): void {
    if (!outcome) return;
    this.cancelDeadline?.();
    this.outcome.resolve(outcome);
  }
}
