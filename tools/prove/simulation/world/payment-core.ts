import type { ReversalRequested, TransactionNotificationV3, TransactionTerminal } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import type { SimulatedWorld } from './simulated-world.ts';

const shardsSimulated = 8;
export const simulatedShards = Array.from({ length: shardsSimulated }, (_, shard) => shard);

export const merchants = [
  { merchantId: 1, origin: 'https://a.example.com' },
  { merchantId: 2, origin: 'https://b.example.com' },
  { merchantId: 3, origin: 'https://c.example.com' },
  { merchantId: 4, origin: null },
];

/** Transaction ids whose shards are the simulated ones; found once per program. */
const idsOfFewShards: number[] = [];

function transactionIdAt(index: number): number {
  for (let id = (idsOfFewShards.at(-1) ?? 100_000) + 1; idsOfFewShards.length <= index; id++) {
    if (shardOf(id) < shardsSimulated) idsOfFewShards.push(id);
  }
  return idsOfFewShards[index]!;
}

const noBank = { retrievalReferenceNumber: null, authCode: null, bankResponse: null, bankResponseMessage: null };
const noCard = {
  cardType: null,
  accountType: null,
  cardHolderName: null,
  bin: null,
  last4: null,
  binLast4: null,
  cardIssuer: null,
};

/** The notification of a payment that a merchant reads. */
export function sampleNotification(transactionId: number, merchantId: number): TransactionNotificationV3 {
  return {
    transactionId,
    merchantId,
    merchantName: 'M',
    acquirer: 'A',
    reference: 'r',
    amount: '1.00',
    currencyCode: 'ZAR',
    status: 'SUCCESS',
    clientMsisdn: '+27820000000',
    extraReferenceName: null,
    extraReferenceValue: null,
    tipAmount: null,
    referenceTransactionId: 0,
    bankResponse: noBank,
    cardInfo: noCard,
    clientBilling: null,
    clientShipping: null,
    versionData: { version: '1' },
  };
}

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
