const windowMs = 600_000;
const merchantsMax = 50_000;

/** The latest verdict of each merchant, for ten minutes. The merchant heard of longest ago goes first when there are too many. */
export class RecentMerchants {
  /** Longest ago first. */
  private readonly latest = new Map<number, { atMs: number; isAcknowledged: boolean }>();

  constructor(private readonly nowMs: () => number) {}

  concluded(merchantId: number, isAcknowledged: boolean): void {
    this.latest.delete(merchantId);
    this.latest.set(merchantId, { atMs: this.nowMs(), isAcknowledged });
    if (this.latest.size > merchantsMax) this.latest.delete(this.latest.keys().next().value!);
  }

  get counted(): { served: number; failing: number } {
    const sinceMs = this.nowMs() - windowMs;
    let failing = 0;
    for (const [merchantId, { atMs, isAcknowledged }] of this.latest) {
      if (atMs < sinceMs) this.latest.delete(merchantId);
      else if (!isAcknowledged) failing++;
    }
    return { served: this.latest.size, failing };
  }
}
