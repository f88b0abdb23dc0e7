export interface WorkSlotLimits {
  /** Slots in all. */
  slots: number;
  /** Slots one owner may hold at once. */
  perOwner: number;
}

/** Slots for bounded work, divided so that one owner cannot take all of them. */
export class WorkSlots {
  private taken = 0;
  private readonly byOwner = new Map<string, number>();

  constructor(private readonly limits: WorkSlotLimits) {}

  /** Whether the owner got a slot, which it must then release. */
  take(owner: string): boolean {
    const own = this.byOwner.get(owner) ?? 0;
    if (this.taken >= this.limits.slots || own >= this.limits.perOwner) return false;
    this.taken += 1;
    this.byOwner.set(owner, own + 1);
    return true;
  }

  release(owner: string): void {
    const own = this.byOwner.get(owner);
    if (own === undefined) throw new Error('release of a slot that was not taken');
    this.taken -= 1;
    if (own === 1) this.byOwner.delete(owner);
    else this.byOwner.set(owner, own - 1);
  }
}
