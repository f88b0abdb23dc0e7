import type { SimProcess } from './sim-process.ts';
import type { Timeline } from './timeline.ts';

/** How bad the connections are now; probabilities per call. */
export interface NetworkFaults {
  /** The request never arrives. */
  lostBefore: number;
  /** It was done, and the caller never learns: it sees a timeout. */
  lostAfter: number;
  /** It arrives twice. */
  duplicated: number;
  /** One in so many messages is late. */
  lateRarity: number;
  lateMs: number;
}

export class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
}

/** A database server: statements are atomic and happen one after the other. */
export interface SimServer {
  name: string;
  isDown: boolean;
}

const statementTimeoutMs = 5_000;
const callTimeoutMs = 5_000;

/** Calls between processes and to databases, with everything that can go wrong with them. */
export class Network {
  constructor(
    private readonly timeline: Timeline,
    private readonly faults: NetworkFaults,
  ) {}

  /** One statement: `effect` happens at one instant in the server, whatever becomes of the caller meanwhile. */
  statement<T>(from: SimProcess, server: SimServer, effect: () => T): Promise<T> {
    const { random } = this.timeline;
    const arrives = from.mailbox;
    const [thereMs, backMs] = [this.delay(2), this.delay(1)];
    const isLost = random.chance(this.faults.lostBefore);
    const isUnanswered = random.chance(this.faults.lostAfter) || thereMs + backMs > statementTimeoutMs;
    return new Promise((resolve, reject) => {
      const timeout = () => arrives(statementTimeoutMs, () => reject(new CallFailedError(`${server.name}: timeout`)));
      if (isLost) return timeout();
      this.timeline.after(thereMs, () => {
        const outcome = perform(server, effect);
        if ('error' in outcome) return arrives(backMs, () => reject(outcome.error));
        if (isUnanswered) timeout();
        else arrives(backMs, () => resolve(outcome.result));
      });
    });
  }

  /** A call of another process: `handle` runs there. */
  call<R>(from: SimProcess, to: SimProcess, handle: () => Promise<R>): Promise<R> {
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
      if (this.timeline.random.chance(this.faults.lostBefore)) return;
      const serve = () => {
        handle().then(
          result => {
            if (!this.timeline.random.chance(this.faults.lostAfter)) answer(this.delay(1), () => resolve(result));
          },
          (error: unknown) => answer(this.delay(1), () => reject(error as Error)),
        );
      };
      to.arrives(this.delay(1), serve);
      if (this.timeline.random.chance(this.faults.duplicated)) to.arrives(this.delay(50), serve);
    });
  }

  private delay(typicalMs: number): number {
    return this.timeline.random.delay(typicalMs, { worstMs: this.faults.lateMs, rarity: this.faults.lateRarity });
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
