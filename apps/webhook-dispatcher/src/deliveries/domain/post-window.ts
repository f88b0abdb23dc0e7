import type { AttemptOutcome, Unanswered } from './delivery';

export interface PostWindowRules {
  /** From the last request byte to the final status line, in milliseconds (R-8-1). */
  ackWindowMs: number;
  /** DNS, TCP, TLS and writing the request, in milliseconds. */
  connectBudgetMs: number;
}

export interface FaultSeen {
  code: string;
  isOurs: boolean;
  isStaleSocket: boolean;
}

/**
 * State machine of one attempt and its time limits; the caller passes the time (P-T1, P-T7, P-T8). It is CONNECTING until the request has
 * left, WAITING until the final status line, then ENDED. The first event that ends it counts; later ones are ignored.
 */
export class PostWindow {
  private phase: 'CONNECTING' | 'WAITING' | 'ENDED' = 'CONNECTING';
  private sentMs: number | undefined;
  private unanswered: Unanswered | undefined;

  constructor(
    private readonly rules: PostWindowRules,
    private readonly startedMs: number,
  ) {}

  /** The instant at which this attempt is over without an answer. */
  get dueMs(): number {
    return this.sentMs === undefined ? this.startedMs + this.rules.connectBudgetMs : this.sentMs + this.rules.ackWindowMs;
  }

  get isEnded(): boolean {
    return this.phase === 'ENDED';
  }

  /** The request has left. When it is repeated (P-T7), the first request starts the window, and the repeat happens inside it. */
  sent(nowMs: number): void {
    if (this.phase !== 'CONNECTING') return;
    this.phase = 'WAITING';
    this.sentMs ??= nowMs;
  }

  answered(status: number, nowMs: number): AttemptOutcome | undefined {
    return this.end({ kind: 'STATUS', status, elapsedMs: this.elapsedMs(nowMs) ?? 0 });
  }

  /**
   * `repeat`: the pooled socket was closed without an answer to the request. Send again on a new socket, in the same attempt and window
   * (P-T7). A repeat is a POST: without `mayPost` a successor may have sent the next attempt already (P-T6).
   */
  failed(fault: FaultSeen, nowMs: number, mayPost: boolean): AttemptOutcome | 'repeat' | undefined {
    if (this.phase === 'ENDED') return undefined;
    if (fault.isStaleSocket && !this.unanswered) {
      if (!mayPost) return this.end({ kind: 'OUR_FAULT', code: 'OWNERSHIP_UNCERTAIN', isSent: true });
      this.unanswered = { code: fault.code, elapsedMs: this.elapsedMs(nowMs) ?? 0 };
      this.phase = 'CONNECTING';
      return 'repeat';
    }
    if (fault.isOurs) return this.end({ kind: 'OUR_FAULT', code: fault.code, isSent: this.sentMs !== undefined });
    return this.end({ kind: 'CONNECTION', code: fault.code, elapsedMs: this.elapsedMs(nowMs) });
  }

  /** The deadline has passed, and the kernel holds no answer either (P-T3). */
  expired(nowMs: number): AttemptOutcome | undefined {
    if (this.sentMs === undefined) return this.end({ kind: 'CONNECTION', code: 'CONNECT_BUDGET', elapsedMs: null });
    return this.end({ kind: 'TIMEOUT', elapsedMs: this.elapsedMs(nowMs)! });
  }

  private elapsedMs(nowMs: number): number | null {
    return this.sentMs === undefined ? null : nowMs - this.sentMs;
  }

  private end(outcome: AttemptOutcome): AttemptOutcome | undefined {
    if (this.phase === 'ENDED') return undefined;
    this.phase = 'ENDED';
    return this.unanswered ? { ...outcome, unanswered: this.unanswered } : outcome;
  }
}
