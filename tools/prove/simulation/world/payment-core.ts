import type { ReversalRequested, TransactionTerminal } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import { merchants, transactionIdAt } from './merchants.ts';
import type { SimulatedWorld } from './simulated-world.ts';

const instant = '2026-01-01T00:00:00.000Z';

/** The payment core: announces payments, and executes each reversal that the scheduler decided once. */
export class PaymentCore {
  private issued = 0;
  readonly announced: number[] = [];

  constructor(private readonly world: SimulatedWorld) {}

  /** A customer pays. */
  pay(): void {
    const { random } = this.world.timeline;
    const isSuccess = random.chance(0.9);
    this.announcePayment(random.pick(merchants).merchantId, isSuccess);
  }

  /** A customer pays this merchant, with success. */
  payTo(merchantId: number): number {
    return this.announcePayment(merchantId, true);
  }

  private announcePayment(merchantId: number, isSuccess: boolean): number {
    const transactionId = transactionIdAt(this.issued++);
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
    return transactionId;
  }

  /** ReversalRequested, any number of times: one effect, by transaction (P-I2). */
  reverse({ transactionId, merchantId }: ReversalRequested): void {
    const ghost = this.world.watcher.ghost(transactionId);
    if (ghost.reversals > 0) return this.world.timeline.faults.add('ReversalRequested twice');
    ghost.reversals++;
    const reversalId = transactionIdAt(this.issued++);
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
    const { random, faults } = world.timeline;
    const partition = shardOf(terminal.transactionId) % world.partitionCount;
    const publish = () => world.logs.terminal.append(partition, String(terminal.transactionId), terminal);
    if (random.chance(world.swarm.lateEvents)) {
      faults.add('event late');
      world.timeline.after(random.between(0, 20_000), publish);
    } else publish();
    if (!random.chance(world.swarm.duplicateEvents)) return;
    faults.add('event twice');
    world.timeline.after(random.between(0, 60_000), publish);
  }
}
