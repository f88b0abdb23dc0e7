import { Clock } from './clock.ports';

export class SystemClock extends Clock {
  nowMs(): number {
    return Date.now();
  }
}
