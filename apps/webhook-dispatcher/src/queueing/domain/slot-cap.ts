/** Slots that an endpoint has whatever happens (P-1.9). */
export const slotFloor = 4;
/** Slots of an endpoint that was never heard of: enough for deliveries to share calls and statements. */
export const slotsAtFirst = 64;

/**
 * Adaptive number of requests that may be under way to one endpoint. Doubles with each full round of answers while deliveries wait for its
 * slots; halves with a timeout, once per round, so that many timeouts of one cause count once. Never below the floor.
 */
export class SlotCap {
  private slots = slotsAtFirst;
  private answersInRound = 0;
  private timeoutsIgnored = 0;

  /** `slotsMax`: no endpoint may take more, however well it answers. */
  constructor(private readonly slotsMax: number) {}

  get value(): number {
    return Math.max(slotFloor, Math.min(this.slots, this.slotsMax));
  }

  /** The endpoint answered in time, whatever it said. `isShort`: slots are what its deliveries wait for. */
  answered(isShort: boolean): void {
    this.timeoutsIgnored = Math.max(0, this.timeoutsIgnored - 1);
    if (!isShort) return void (this.answersInRound = 0);
    if (this.slots >= this.slotsMax || ++this.answersInRound < this.value) return;
    this.answersInRound = 0;
    this.slots = Math.min(this.slots * 2, this.slotsMax);
  }

  /** `inFlight`: requests under way, this one included; their timeouts have the same cause. */
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
