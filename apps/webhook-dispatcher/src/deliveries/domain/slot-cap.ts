/** Slots that an endpoint has whatever happens (1.9). */
export const slotFloor = 4;

export interface SlotCapLimits {
  /** Most slots one endpoint may get: 25 % of the process's sockets. */
  slotsMax: number;
}

/**
 * Adaptive number of requests that may be under way to one endpoint: doubles with each full round of answered requests, halves with a timeout,
 * at most once per round so that a burst of timeouts of one cause counts once. Never below the floor.
 */
export class SlotCap {
  private slots = 2 * slotFloor;
  private answersInRound = 0;
  private timeoutsIgnored = 0;

  constructor(private readonly limits: SlotCapLimits) {}

  get value(): number {
    return Math.max(slotFloor, Math.min(this.slots, this.limits.slotsMax));
  }

  /** The endpoint answered in time, whatever it said. `inFlight`: requests under way, this one included. */
  answered(inFlight: number): void {
    this.timeoutsIgnored = Math.max(0, this.timeoutsIgnored - 1);
    // Grows only while the slots are used: an idle endpoint earns no right to a burst.
    if (inFlight * 2 < this.value || this.slots >= this.limits.slotsMax) return;
    if (++this.answersInRound < this.value) return;
    this.answersInRound = 0;
    this.slots = Math.min(this.slots * 2, this.limits.slotsMax);
  }

  timedOut(inFlight: number): void {
    this.answersInRound = 0;
    if (this.timeoutsIgnored > 0) {
      this.timeoutsIgnored--;
      return;
    }
    this.slots = Math.max(slotFloor, Math.floor(this.slots / 2));
    this.timeoutsIgnored = inFlight;
  }
}
