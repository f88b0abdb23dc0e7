import { Injectable } from '@nestjs/common';
import type { ClientContact } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { addDecimals, amountProblem, type CompletedTransaction, CompleteTransactionsService } from '../transactions';
import type { PaymentCode } from './domain/code';
import { ReadCodesService } from './read-codes.service';

export interface Payment {
  code: string;
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

/** Flow: a person pays a code with a chosen outcome -> a completed purchase of the code. */
@Injectable()
export class PayCodeService {
  constructor(
    private readonly readCodes: ReadCodesService,
    private readonly completeTransactions: CompleteTransactionsService,
  ) {}

  /** @throws DomainError 404 for an unknown code, 400 for one that cannot be paid any more, accepts no tip or wants contact data */
  async pay(payment: Payment): Promise<CompletedTransaction> {
    const { code } = await this.readCodes.ofAnybody(payment.code);
    const tipAmount = tipOf(payment, code);
    const clientContact = contactOf(payment, code);
    return this.completeTransactions.completeForCode({
      merchantId: code.merchantId,
      idempotencyKey: null,
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
  }
}

/** A successful payment of a code that asks for contact data has it. */
function contactOf({ clientContact, txState }: Payment, code: PaymentCode): ClientContact | undefined {
  if (!code.requestContact) return undefined;
  if (!clientContact && txState === 'SUCCESS') throw invalidField('clientContact', 'is required by this code');
  return clientContact ?? undefined;
}

/** A tip only when the code asked for one (R-2.5-9). */
function tipOf({ tipAmount }: Payment, code: PaymentCode): string | null {
  if (tipAmount === null) return null;
  if (!code.requestTip) throw invalidField('tipAmount', 'is not accepted by this code');
  const problem = amountProblem(tipAmount, code.currencyCode);
  if (problem) throw invalidField('tipAmount', problem);
  return tipAmount;
}
