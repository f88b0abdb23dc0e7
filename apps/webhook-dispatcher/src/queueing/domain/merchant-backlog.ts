/** A merchant whose deliveries wait in the database because its queue in memory is full. */
interface Waiting {
  merchantId: number;
  /** Rows up to this seq were taken up. */
  afterSeq: number;
  /**
   * False during the pass after the last row was found. New deliveries enter the queue directly again, and one more read from the start
   * finds rows that were stored without a place in the queue meanwhile.
   */
  isFilling: boolean;
}

/** The merchants whose deliveries wait in the database and not in memory, and how far they were read. */
export class MerchantBacklog {
  private readonly merchants = new Map<number, Waiting>();

  get size(): number {
    return this.merchants.size;
  }

  /** Whether new deliveries of the merchant must wait behind those in the database. */
  has(merchantId: number): boolean {
    return this.merchants.get(merchantId)?.isFilling ?? false;
  }

  /** Merchants whose rows a sweep may skip, because they are read merchant by merchant. */
  get filling(): number[] {
    return [...this.merchants.values()].filter(({ isFilling }) => isFilling).map(({ merchantId }) => merchantId);
  }

  /** A delivery of this merchant was left in the database. */
  note(merchantId: number): void {
    if (!this.has(merchantId)) this.merchants.set(merchantId, { merchantId, afterSeq: 0, isFilling: true });
  }

  /** Reads the merchant's rows from the start again: some that had been read wait in the database once more. */
  readAgain(merchantId: number): void {
    this.merchants.set(merchantId, { merchantId, afterSeq: 0, isFilling: true });
  }

  /** Reads all rows from the start again, because the owned shards have changed. */
  restart(): void {
    for (const { merchantId } of this.merchants.values())
      this.merchants.set(merchantId, { merchantId, afterSeq: 0, isFilling: true });
  }

  /** The next merchants to read, at most `max`; each comes again only after all others. */
  next(max: number): { merchantId: number; afterSeq: number }[] {
    const chosen = [...this.merchants.values()].slice(0, max);
    for (const waiting of chosen) {
      this.merchants.delete(waiting.merchantId);
      this.merchants.set(waiting.merchantId, waiting);
    }
    return chosen.map(({ merchantId, afterSeq }) => ({ merchantId, afterSeq }));
  }

  /** A page was read after `afterSeq`; `lastSeq` is that of its last row when there may be more, undefined when it was the last page. */
  wasRead(merchantId: number, afterSeq: number, lastSeq: number | undefined): void {
    const waiting = this.merchants.get(merchantId);
    // The merchant was noted again during the read, so this page does not tell the position.
    if (!waiting || waiting.afterSeq !== afterSeq) return;
    if (lastSeq !== undefined) waiting.afterSeq = lastSeq;
    else if (waiting.isFilling) this.merchants.set(merchantId, { merchantId, afterSeq: 0, isFilling: false });
    else this.merchants.delete(merchantId);
  }
}
