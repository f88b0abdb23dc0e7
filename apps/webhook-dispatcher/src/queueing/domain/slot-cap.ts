/** Slots that an endpoint always has (P-1.9). */
export const slotFloor = 4;
/** Slots of a new endpoint: enough for deliveries to share calls and statements. */
export const slotsAtFirst = 64;

/**
 * Adaptive limit of requests in flight to one endpoint. It doubles with each full round of answers while deliveries wait for slots. It
 * halves after a timeout, at most once per round, so that many timeouts with one cause count once. It never falls below the floor.
 */
export class SlotCap {
  private slots = slotsAtFirst;
  private answersInRound = 0;
  private timeoutsIgnored = 0;

  /** `slotsMax`: upper limit, however well the endpoint answers. */
  constructor(private readonly slotsMax: number) {}

  get value(): number {
    return Math.max(slotFloor, Math.min(this.slots, this.slotsMax));
  }

  /** The endpoint answered in time, with any status. `isShort`: its deliveries wait for slots. */
  answered(isShort: boolean): void {
    this.timeoutsIgnored = Math.max(0, this.timeoutsIgnored - 1);
    if (!isShort) return void (this.answersInRound = 0);
    if (++this.answersInRound < this.value) return;
    this.answersInRound = 0;
    this.slots = Math.min(this.slots * 2, this.slotsMax);
  }

  /** `inFlight`: requests in flight, this one included; their timeouts have the same cause. */
  timedOut(inFlight: number): void {
    this.answersInRound = 0;
    if (this.timeoutsIgnored > 0) {
      this.timeoutsIgnored--;
      return;
    }
    this.slots = Math.max(slotFloor, Math.floor(this.value / 2));
    this.timeoutsIgnored = inFlight;
  }
}
