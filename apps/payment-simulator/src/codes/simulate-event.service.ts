import { Injectable } from '@nestjs/common';
import type { Identity, NotificationStatus, TransactionKind, TransactionNotificationV3 } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { CompleteTransactionsService, type Completion, ReadTransactionsService, type StoredTransaction } from '../transactions';
import { ReadCodesService } from './read-codes.service';

/** What may follow a payment in the sandbox at a merchant's wish, always for its whole amount. */
export const simulatedEvents = ['REFUND', 'REVERSAL'] as const;
export type SimulatedEvent = (typeof simulatedEvents)[number];

export interface SimulatedTransaction {
  transactionId: number;
  status: NotificationStatus;
}

const ends = {
  REFUND: { txState: 'END_REFUNDED', status: 'REFUNDED' },
  REVERSAL: { txState: 'END_REVERSED', status: 'REVERSED' },
} as const satisfies Record<SimulatedEvent, { txState: string; status: NotificationStatus }>;

/** Flow: a merchant's code with a payment -> a refund or a reversal by the core, which the merchant did not cause by an answer. */
@Injectable()
export class SimulateEventService {
  constructor(
    private readonly readCodes: ReadCodesService,
    private readonly readTransactions: ReadTransactionsService,
    private readonly completeTransactions: CompleteTransactionsService,
  ) {}

  /** @throws DomainError 404 for a code of another, 400 when it has no payment to which this may happen */
  async simulate(
    caller: Identity,
    { code: digits, event }: { code: string; event: SimulatedEvent },
  ): Promise<SimulatedTransaction> {
    const { code } = await this.readCodes.ofCaller(caller, digits);
    const payment = await this.readTransactions.latestOfCode(code.code);
    if (!payment) throw invalidField('code', 'has no payment');
    const [transactionId] = await this.completeTransactions.complete([followUpOf(payment, event)]);
    return { transactionId: transactionId!, status: ends[event].status };
  }
}

function followUpOf(
  { transaction, notification }: { transaction: StoredTransaction; notification: TransactionNotificationV3 },
  kind: TransactionKind & SimulatedEvent,
): Completion {
  const { merchantId, amount, currencyCode, reference, transactionId, code } = transaction;
  return {
    merchantId,
    idempotencyKey: null,
    kind,
    txState: ends[kind].txState,
    amount,
    currencyCode,
    reference,
    referenceTransactionId: transactionId,
    clientMsisdn: notification.clientMsisdn,
    ...(code === null ? {} : { code }),
    tipAmount: null,
    extraReferenceName: notification.extraReferenceName ?? null,
    extraReferenceValue: notification.extraReferenceValue ?? null,
    clientBilling: null,
    clientShipping: null,
  };
}
