import { Injectable } from '@nestjs/common';
import type { FollowUp, Identity, NotificationStatus, TransactionKind, TransactionNotificationV3 } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { CompleteTransactionsService, type Completion, ReadTransactionsService, type StoredTransaction } from '../transactions';
import { ReadCodesService } from './read-codes.service';

export interface SimulatedTransaction {
  transactionId: number;
  status: NotificationStatus;
}

const ends = {
  REFUND: { txState: 'END_REFUNDED', status: 'REFUNDED' },
  REVERSAL: { txState: 'END_REVERSED', status: 'REVERSED' },
} as const satisfies Record<FollowUp, { txState: string; status: NotificationStatus }>;

/** Flow: a merchant's code with a payment -> a refund or a reversal of its whole amount by the core, which the merchant did not cause by an answer. */
@Injectable()
export class SimulateEventService {
  constructor(
    private readonly readCodes: ReadCodesService,
    private readonly readTransactions: ReadTransactionsService,
    private readonly completeTransactions: CompleteTransactionsService,
  ) {}

  /** @throws DomainError 404 for a code of another, 400 when it has no payment to which this may happen */
  async simulate(caller: Identity, { code: digits, event }: { code: string; event: FollowUp }): Promise<SimulatedTransaction> {
    const { code } = await this.readCodes.ofCaller(caller, digits);
    const payment = await this.readTransactions.latestOfCode(code.code);
    if (!payment) throw invalidField('code', 'has no payment');
    const [transactionId] = await this.completeTransactions.complete([followUpOf(payment, event)]);
    return { transactionId: transactionId!, status: ends[event].status };
  }
}

function followUpOf(
  { transaction, notification }: { transaction: StoredTransaction; notification: TransactionNotificationV3 },
  kind: TransactionKind & FollowUp,
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
