import type { ReversalRequested, TransactionTerminal } from '@paycode/dto';
import { laneOf } from '../../../apps/webhook-dispatcher/src/lanes/lane-of';
import type { World } from './world.ts';

/** Transaction ids whose lanes are the simulated ones; found once per program. */
const idsOfFewLanes: number[] = [];
const lanesSimulated = 8;

function idAt(index: number): number {
  for (let id = (idsOfFewLanes.at(-1) ?? 100_000) + 1; idsOfFewLanes.length <= index; id++) {
    if (laneOf(id) < lanesSimulated) idsOfFewLanes.push(id);
  }
  return idsOfFewLanes[index]!;
}

export const simulatedLanes = Array.from({ length: lanesSimulated }, (_, lane) => lane);
export const merchants = [
  { merchantId: 1, origin: 'https://a.example.com' },
  { merchantId: 2, origin: 'https://b.example.com' },
  { merchantId: 3, origin: 'https://c.example.com' },
  { merchantId: 4, origin: null },
];

const instant = '2026-01-01T00:00:00.000Z';

/** The payment core: announces payments, does what the scheduler decided, each reversal once. */
export class PaymentCore {
  private issued = 0;
  readonly announced: number[] = [];

  constructor(private readonly world: World) {}

  /** A customer pays. */
  pay(): void {
    const { random } = this.world.timeline;
    const isSuccess = random.chance(0.9);
    const transactionId = idAt(this.issued++);
    const { merchantId } = random.pick(merchants);
    this.world.watcher.expect(transactionId, isSuccess);
    this.announce({
      transactionId,
      merchantId,
      kind: 'PURCHASE',
      status: isSuccess ? 'SUCCESS' : 'BANK_REJECTED',
      txState: isSuccess ? 'SUCCESS' : 'END_BANK_DECLINE',
      referenceTransactionId: 0,
      completedAt: instant,
      notification: this.world.sealedOf(transactionId, merchantId),
    });
    this.announced.push(transactionId);
  }

  /** ReversalRequested, any number of times: one effect, by transaction (I2). */
  reverse({ transactionId, merchantId }: ReversalRequested): void {
    const ghost = this.world.watcher.ghost(transactionId);
    if (ghost.reversals > 0) return;
    ghost.reversals++;
    const reversalId = idAt(this.issued++);
    this.world.watcher.expect(reversalId, false);
    this.announce({
      transactionId: reversalId,
      merchantId,
      kind: 'REVERSAL',
      status: 'REVERSED',
      txState: 'END_REVERSED',
      referenceTransactionId: transactionId,
      completedAt: instant,
      notification: this.world.sealedOf(reversalId, merchantId),
    });
  }

  private announce(terminal: TransactionTerminal): void {
    const { world } = this;
    const partition = laneOf(terminal.transactionId) % world.partitionCount;
    const publish = () => world.logs.terminal.append(partition, String(terminal.transactionId), terminal);
    publish();
    if (!world.timeline.random.chance(world.swarm.duplicateEvents)) return;
    world.timeline.after(world.timeline.random.between(0, 60_000), publish);
  }
}
