export interface ConcurrencyLimits {
  perPerson: number;
  /** Of all people, in this process. */
  inAll: number;
}

/** Bounds what people may have open at once: of each person a few, so that none takes the places of all. */
export class ConcurrencyLimit {
  private readonly taken = new Map<string, number>();
  private inAll = 0;

  constructor(private readonly limits: ConcurrencyLimits) {}

  /** Gives it back when called, once; undefined: there is none. */
  take(personId: string): (() => void) | undefined {
    const own = this.taken.get(personId) ?? 0;
    if (own >= this.limits.perPerson || this.inAll >= this.limits.inAll) return undefined;
    this.taken.set(personId, own + 1);
    this.inAll++;
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.giveBack(personId);
    };
  }

  private giveBack(personId: string): void {
    this.inAll--;
    const left = this.taken.get(personId)! - 1;
    if (left === 0) this.taken.delete(personId);
    else this.taken.set(personId, left);
  }
}
