const turnMs = 4;

/**
 * Ends a test that does not end. By turns of the event loop in which nothing but timers was under way: then it waits for what cannot come, which
 * judges the mutant, because a busy machine makes a turn longer and their number no larger. Or by the clock, which judges nothing: the answer of
 * a socket or a thread may only be late.
 */
export class TurnLimit {
  private wasByTurns = false;
  private readonly turnsMax: number;
  private readonly openNow: () => number;
  private readonly openAtFirst: number;

  /** `openNow`: how many things are under way but timers. */
  constructor(turnsMax = 250, openNow = openResources) {
    this.turnsMax = turnsMax;
    this.openNow = openNow;
    this.openAtFirst = openNow();
  }

  nextTest(): void {
    this.wasByTurns = false;
  }

  /** As `setTimeout`, whose result it may be cleared by. */
  after(run: () => void, limitMs: number): NodeJS.Timeout {
    let turns = 0;
    const untilMs = performance.now() + limitMs;
    const timer = setInterval(() => {
      if (this.openNow() <= this.openAtFirst) turns++;
      if (turns < this.turnsMax && performance.now() < untilMs) return;
      this.wasByTurns ||= turns >= this.turnsMax;
      clearInterval(timer);
      run();
    }, turnMs);
    return timer;
  }

  /** The message of a failure of this test: not that of the clock where turns ended the test. */
  reword(message: string): string {
    const isOfLimit = message.startsWith('Exceeded timeout');
    return this.wasByTurns && isOfLimit ? `did not end in ${this.turnsMax} turns of the event loop` : message;
  }
}

/** A pipe to Stryker is open all the time, for one. */
function openResources(): number {
  return process.getActiveResourcesInfo().filter(kind => kind !== 'Timeout' && kind !== 'Immediate').length;
}
