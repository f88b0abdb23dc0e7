import type { SimProcess } from './sim-process.ts';
import type { Timeline } from './timeline.ts';

/** How bad the connections are now; probabilities per call. */
export interface NetworkFaults {
  /** The request never arrives. */
  lostBefore: number;
  /** It was carried out, but the caller gets a timeout. */
  lostAfter: number;
  /** It arrives twice. */
  duplicated: number;
  /** One in so many messages is late. */
  lateRarity: number;
  lateMs: number;
}

class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
}

/** A database server: statements are atomic and happen one after the other. */
export interface SimServer {
  name: 'dispatcher database' | 'scheduler database' | 'notification-config' | 'event log';
  isDown: boolean;
}

const statementTimeoutMs = 5_000;
const callTimeoutMs = 5_000;

/** Calls between processes and to databases, with everything that can go wrong with them. */
export class Network {
  private sent = 0;
  private readonly lastArrived = new Map<SimServer | SimProcess, number>();

  constructor(
    private readonly timeline: Timeline,
    private readonly faults: NetworkFaults,
  ) {}

  /** One statement: `effect` happens at one instant in the server, even if the caller dies meanwhile. */
  statement<T>(from: SimProcess, server: SimServer, effect: () => T): Promise<T> {
    const { random, faults } = this.timeline;
    const order = ++this.sent;
    const arrives = from.mailbox;
    const [thereMs, backMs] = [this.delay(2), this.delay(1)];
    const isLost = random.chance(this.faults.lostBefore);
    const isUnanswered = random.chance(this.faults.lostAfter) || thereMs + backMs > statementTimeoutMs;
    return new Promise((resolve, reject) => {
      const timeout = () => arrives(statementTimeoutMs, () => reject(new CallFailedError(`${server.name}: timeout`)));
      if (isLost) {
        faults.add('statement lost');
        return timeout();
      }
      this.timeline.after(thereMs, () => {
        if (this.isOvertaken(server, order)) faults.add('statements reordered');
        const outcome = perform(server, effect);
        if ('error' in outcome) return arrives(backMs, () => reject(outcome.error));
        if (!isUnanswered) return arrives(backMs, () => resolve(outcome.result));
        faults.add('statement done, answer lost');
        timeout();
      });
    });
  }

  /** A call of another process: `handle` runs there. */
  call<R>(from: SimProcess, to: SimProcess, handle: () => Promise<R>): Promise<R> {
    const { random, faults } = this.timeline;
    const order = ++this.sent;
    const arrives = from.mailbox;
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const answer = (delayMs: number, tell: () => void) =>
        arrives(delayMs, () => {
          if (isAnswered) return;
          isAnswered = true;
          tell();
        });
      if (!to.isAlive) return answer(1, () => reject(new CallFailedError(`${to.name} refuses the connection`)));
      answer(callTimeoutMs, () => reject(new CallFailedError(`${to.name}: timeout`)));
      if (random.chance(this.faults.lostBefore)) return faults.add('call lost');
      const serve = () => {
        if (this.isOvertaken(to, order)) faults.add('calls reordered');
        handle().then(
          result => {
            if (random.chance(this.faults.lostAfter)) faults.add('call done, answer lost');
            else answer(this.delay(1), () => resolve(result));
          },
          (error: unknown) => answer(this.delay(1), () => reject(error as Error)),
        );
      };
      to.arrives(this.delay(1), serve);
      if (!random.chance(this.faults.duplicated)) return;
      faults.add('call arrives twice');
      to.arrives(this.delay(50), serve);
    });
  }

  private delay(typicalMs: number): number {
    const delayMs = this.timeline.random.delay(typicalMs, { worstMs: this.faults.lateMs, rarity: this.faults.lateRarity });
    if (delayMs > typicalMs * 2) this.timeline.faults.add('message late');
    return delayMs;
  }

  /** Whether something that was sent later has arrived before. */
  private isOvertaken(to: SimServer | SimProcess, order: number): boolean {
    const last = this.lastArrived.get(to) ?? 0;
    this.lastArrived.set(to, Math.max(last, order));
    return order < last;
  }
}

function perform<T>(server: SimServer, effect: () => T): { result: T } | { error: Error } {
  if (server.isDown) return { error: new CallFailedError(`${server.name} is down`) };
  try {
    return { result: effect() };
  } catch (error) {
    return { error: error as Error };
  }
}
