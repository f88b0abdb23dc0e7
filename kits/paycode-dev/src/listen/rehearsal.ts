import { type Heard, headerOf } from './forwarder';

/** Deliveries that happen only after a failure. */
export type Rehearsed = 'duplicate' | 'out-of-order' | 'hanging';

type Give = (heard: Heard) => Promise<number>;

/** How long one notification waits for the other that has to overtake it; well within its 45 seconds. */
const otherMs = 20_000;
/** How long the answer of a server that hangs stays away: longer than the platform waits. */
const hangsMs = 60_000;

/** Gives the next notifications to a receiver as it was asked to, and all others as they come. */
export class Rehearsal {
  private next: Rehearsed | undefined;
  private swap: Swap;

  /** `give` never rejects; other `waits` are for tests. */
  constructor(
    private readonly give: Give,
    private readonly waits = { otherMs, hangsMs },
  ) {
    this.swap = new Swap(give, waits.otherMs);
  }

  expect(scenario: Rehearsed): void {
    this.next = scenario;
    this.swap = new Swap(this.give, this.waits.otherMs);
  }

  /** The status for the platform. */
  answer(heard: Heard): Promise<number> {
    if (this.swap.isFull) this.next = undefined;
    // The probe is no notification.
    if (this.next === undefined || idOf(heard) === undefined) return this.give(heard);
    const { next } = this;
    if (next === 'out-of-order') return this.swap.answer(heard);
    this.next = undefined;
    return next === 'duplicate' ? this.givenTwice(heard) : this.hanging(heard);
  }

  /** The server gets it, and what it answers comes too late: the platform gives up, and reverses a payment. */
  private async hanging(heard: Heard): Promise<number> {
    const status = await this.give(heard);
    await new Promise<void>(resolve => void setTimeout(resolve, this.waits.hangsMs).unref());
    return status;
  }

  /** As after a crash that lost the first answer: the platform learns the second alone. */
  private async givenTwice(heard: Heard): Promise<number> {
    await this.give(heard);
    return this.give(asAttempt(heard, 2));
  }
}

/** Of two notifications, the later transaction goes first; the other when that is answered. */
class Swap {
  private readonly ids: bigint[] = [];
  private readonly bothCame = new Signal();
  private readonly laterAnswered = new Signal();
  isFull = false;

  constructor(
    private readonly give: Give,
    private readonly otherWithinMs: number,
  ) {}

  async answer(heard: Heard): Promise<number> {
    const id = idOf(heard)!;
    this.ids.push(id);
    if (this.ids.length === 2) this.complete();
    const alone = setTimeout(() => this.complete(), this.otherWithinMs);
    await this.bothCame.raised;
    clearTimeout(alone);
    const isEarlier = this.ids.some(other => other > id);
    if (isEarlier) await this.laterAnswered.raised;
    const status = await this.give(heard);
    if (!isEarlier) this.laterAnswered.raise();
    return status;
  }

  private complete(): void {
    this.isFull = true;
    this.bothCame.raise();
  }
}

class Signal {
  raise!: () => void;
  readonly raised = new Promise<void>(resolve => (this.raise = resolve));
}

function idOf(heard: Heard): bigint | undefined {
  const text = headerOf(heard, 'x-webhook-transaction-id');
  return text !== undefined && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

function asAttempt(heard: Heard, attempt: number): Heard {
  const isNumber = (at: number): boolean => at % 2 === 1 && heard.headers[at - 1]!.toLowerCase() === 'x-webhook-attempt';
  return { ...heard, headers: heard.headers.map((text, at) => (isNumber(at) ? String(attempt) : text)) };
}
