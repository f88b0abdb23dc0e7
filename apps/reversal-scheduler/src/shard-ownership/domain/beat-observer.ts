/**
 * Judges a peer by whether its beat moved on *this* process's monotonic clock (the lock-client rule, P-T6): clocks of different hosts
 * are never compared.
 */
export class BeatObserver {
  private readonly seen = new Map<string, { beat: number; sinceMs: number }>();

  /** Milliseconds for which `beat` of `name` has not moved as seen from here; 0 when it is new or moved. */
  observe(name: string, beat: number, nowMs: number): number {
    const known = this.seen.get(name);
    if (known && known.beat === beat) return nowMs - known.sinceMs;
    this.seen.set(name, { beat, sinceMs: nowMs });
    return 0;
  }

  /** Forgets every name not listed. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.seen.keys()) if (!names.has(name)) this.seen.delete(name);
  }
}
