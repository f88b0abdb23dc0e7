import { type CancelTimer, Clock } from './clock';

export class SystemClock extends Clock {
  override nowMs(): number {
    return performance.now();
  }

  override epochMs(): number {
    return Date.now();
  }

  override after(delayMs: number, run: () => void): CancelTimer {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  }

  override pollTurn(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve));
  }
}
