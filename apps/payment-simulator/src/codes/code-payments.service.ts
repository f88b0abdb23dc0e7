import { Injectable } from '@nestjs/common';
import {
  type ClientContact,
  type FollowUp,
  type Identity,
  type NotificationStatus,
  notificationStatusOf,
  type TransactionKind,
} from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { addDecimals, amountProblem, decimalForm, plainAmount } from '../transactions/domain/decimal';
import type {
  CompletedTransaction,
  Completion,
  NotifiedTransaction,
  StoredTransaction,
} from '../transactions/domain/transaction';
import { TransactionsService } from '../transactions/transactions.service';
import { CodesService } from './codes.service';
import type { PaymentCode } from './domain/code';

export interface Payment {
  code: string;
  /** Names one press of the button: a repeat of it is the same payment. null: each call is a payment. */
  idempotencyKey: string | null;
  /** Terminal TxState the person chose. */
  txState: string;
  clientMsisdn: string;
  /** Exact decimal as digits; only for a code that asks for a tip. */
  tipAmount: string | null;
  /** Left out of the notification unless the code asks for contact data (R-2.5-16). */
  clientContact: ClientContact | null;
  /** A core that is slow: how much later the payment is announced. Default 0. */
  announcedAfterS?: number;
}

export interface SimulatedTransaction {
  transactionId: number;
  status: NotificationStatus;
}

/** A payment of a code, for the receipt. */
export interface PaidCode {
  transactionId: number;
  status: NotificationStatus;
  /** The whole amount, tip included; exact decimal as digits. */
  paidAmount: string;
  /** ISO 8601 UTC. */
  completedAt: string;
}

const ends = {
  REFUND: { txState: 'END_REFUNDED', status: 'REFUNDED' },
  REVERSAL: { txState: 'END_REVERSED', status: 'REVERSED' },
} as const satisfies Record<FollowUp, { txState: string; status: NotificationStatus }>;

/**
 * Flow: a person pays a code with a chosen outcome -> a completed purchase of the code. Also a merchant's code with a payment -> a refund
 * or a reversal of its whole amount by the core, which the merchant did not cause by an answer.
 */
@Injectable()
export class CodePaymentsService {
  constructor(
    private readonly codes: CodesService,
    private readonly transactions: TransactionsService,
  ) {}

  /** @throws DomainError 404 for an unknown code, 400 for one that cannot be paid any more, accepts no tip or wants contact data */
  async pay(payment: Payment): Promise<PaidCode> {
    const { code } = await this.codes.ofAnybody(payment.code);
    const tipAmount = tipOf(payment, code);
    const clientContact = contactOf(payment, code);
    const transaction = await this.transactions.completeForCode({
      merchantId: code.merchantId,
      idempotencyKey: payment.idempotencyKey === null ? null : keyOfPress(code, payment.idempotencyKey),
      kind: 'PURCHASE',
      txState: payment.txState,
      // The tip is a portion of the amount.
      amount: tipAmount === null ? code.amount : addDecimals(code.amount, tipAmount),
      currencyCode: code.currencyCode,
      reference: code.merchantReference,
      referenceTransactionId: 0,
      clientMsisdn: payment.clientMsisdn,
      code: code.code,
      tipAmount,
      extraReferenceName: code.extraReferenceName,
      extraReferenceValue: code.extraReferenceValue,
      clientContact,
      announcedAfterS: payment.announcedAfterS,
      clientBilling: null,
      clientShipping: null,
    });
    return paidCodeOf(transaction);
  }

  /** The payment of one press of the button. @throws DomainError 404 for an unknown code, or when nothing was paid under the key */
  async ofPress(digits: string, idempotencyKey: string): Promise<PaidCode> {
    const { code } = await this.codes.ofAnybody(digits);
    const transaction = await this.transactions.findByKey(code.merchantId, keyOfPress(code, idempotencyKey));
    if (!transaction) throw new DomainError({ status: 404, reason: 'NO_PAYMENT', message: 'Not Found' });
    return paidCodeOf(transaction);
  }

  /** @throws DomainError 404 for a code of another, 400 when it has no payment to which this may happen */
  async simulate(caller: Identity, { code: digits, event }: { code: string; event: FollowUp }): Promise<SimulatedTransaction> {
    const { code } = await this.codes.ofCaller(caller, digits);
    const payment = await this.transactions.latestOfCode(code.code);
    if (!payment) throw invalidField('code', 'has no payment');
    const [transactionId] = await this.transactions.complete([followUpOf(payment, event)]);
    return { transactionId: transactionId!, status: ends[event].status };
  }
}

/** Apart from the keys of the payment core's completions, and from those of the merchant's other codes. */
function keyOfPress({ code }: PaymentCode, idempotencyKey: string): string {
  return `page ${code} ${idempotencyKey}`;
}

function paidCodeOf({ transactionId, txState, amount, completedAt }: CompletedTransaction | StoredTransaction): PaidCode {
  return { transactionId, status: notificationStatusOf(txState)!, paidAmount: amount, completedAt };
}

/** A successful payment of a code that asks for contact data has it. */
function contactOf({ clientContact, txState }: Payment, code: PaymentCode): ClientContact | undefined {
  if (!code.requestContact) return undefined;
  if (!clientContact && txState === 'SUCCESS') throw invalidField('clientContact', 'is required by this code');
  return clientContact ?? undefined;
}

/** A tip only when the code asked for one (R-2.5-9). */
function tipOf({ tipAmount: written }: Payment, code: PaymentCode): string | null {
  if (written === null) return null;
  const tipAmount = plainAmount(written, code.currencyCode);
  if (!code.requestTip) throw invalidField('tipAmount', 'is not accepted by this code');
  const problem = amountProblem(tipAmount, code.currencyCode);
  if (problem) throw invalidField('tipAmount', problem);
  if (!decimalForm.test(addDecimals(code.amount, tipAmount)))
    throw invalidField('tipAmount', 'must not make a total of more than 15 digits');
  return tipAmount;
}

function followUpOf({ transaction, notification }: NotifiedTransaction, kind: TransactionKind & FollowUp): Completion {
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
