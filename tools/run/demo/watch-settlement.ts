import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryTimeline, Merchant, ReversalState } from '../../../libs/platform-client/src/merchant.ts';

const colours = { dim: '2', good: '32', bad: '31', strong: '1' } as const;

/** Prints the story of a demo, with the time since its chapter began. */
export class Narrator {
  private startedAt = performance.now();
  private readonly isColoured = process.stdout.isTTY && !process.env['NO_COLOR'];

  chapter(title: string): void {
    this.startedAt = performance.now();
    this.print(`\n${this.paint(title, 'strong')}\n${'-'.repeat(title.length)}`);
  }

  /** One thing that happened, by whom. */
  step(who: string, text: string): void {
    const seconds = `${((performance.now() - this.startedAt) / 1_000).toFixed(2)} s`;
    this.print(`${this.paint(seconds.padStart(8), 'dim')}  ${who.padEnd(9)} ${text}`);
  }

  /** Lines that belong to the last step. */
  detail(text: string): void {
    this.print(text.replace(/^/gm, `${' '.repeat(20)}${this.isColoured ? '\x1b[2m' : ''}`) + (this.isColoured ? '\x1b[0m' : ''));
  }

  result(text: string, isGood: boolean): void {
    this.print(this.paint(text, isGood ? 'good' : 'bad'));
  }

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  private paint(text: string, colour: keyof typeof colours): string {
    return this.isColoured ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text;
  }
}

const pollMs = 25;
/** Longer than the acknowledgement window with all its margins, so that it covers a silent receiver. */
const withinMs = 90_000;

type Decided = ReversalState & { state: 'SETTLED' | 'REVERSED' };

interface Watch {
  merchant: Merchant;
  transactionId: number;
  narrator: Narrator;
  /** Told once, when the notification has left the platform: the shop's side of the story comes here. */
  onSent: () => Promise<void>;
}

const sent = 'encrypted the notification and sent it';

/** Follows a payment until it is decided and tells each step when it is first seen. Throws when nothing is decided in time. */
export async function watchSettlement({ merchant, transactionId, narrator, onSent }: Watch): Promise<Decided> {
  const told = new Set<string>();
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    const [delivery, reversal] = await Promise.all([merchant.delivery(transactionId), merchant.reversal(transactionId)]);
    for (const fact of factsOf(delivery, reversal).filter(each => !told.has(each))) {
      told.add(fact);
      narrator.step('platform', fact);
      if (fact === sent) await onSent();
    }
    if (reversal && isDecided(reversal)) return reversal;
    await pause(pollMs);
  }
  throw new Error(`payment ${transactionId} was not decided within ${withinMs / 1_000} s`);
}

function isDecided(reversal: ReversalState): reversal is Decided {
  return reversal.state !== 'ARMED';
}

/** The facts that are known about the payment now, oldest first. */
function factsOf(delivery: DeliveryTimeline | undefined, reversal: ReversalState | undefined): string[] {
  const facts = delivery ? ['recorded the finished payment'] : [];
  // The two services were asked at the same time, and the attempt is recorded before its reversal is armed. So it was sent after
  // that.
  if (!reversal && !delivery?.armedAt) return facts;
  facts.push('armed a reversal: unless the merchant acknowledges, the money goes back');
  facts.push(...(delivery?.attempts ?? []).flatMap(attemptFacts));
  return reversal ? [...facts, ...decisionFacts(reversal)] : facts;
}

function decisionFacts({ state, reason }: ReversalState): string[] {
  if (state === 'ARMED') return [];
  return [state === 'SETTLED' ? 'settled the payment; the reversal is cancelled' : `reverses the payment (reason: ${reason})`];
}

function attemptFacts({ attempt, outcome, elapsedMs }: DeliveryTimeline['attempts'][number]): string[] {
  const sent = attempt > 1 ? `sent the notification again (attempt ${attempt})` : 'encrypted the notification and sent it';
  return outcome === null
    ? [sent]
    : [sent, `got the merchant's answer: ${outcome}${elapsedMs === null ? '' : ` after ${elapsedMs} ms`}`];
}
