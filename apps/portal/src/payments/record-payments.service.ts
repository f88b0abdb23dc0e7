import { Inject, Injectable } from '@nestjs/common';
import type { PayloadSealer } from '@paycode/crypto';
import { parseNotification, type TransactionTerminal } from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PaymentWriter, type TerminalFacts } from './payment-writer';

/** Opens sealed notifications. */
export const NOTIFICATION_SEALER = Symbol('NOTIFICATION_SEALER');

/** Flow: terminal transactions -> what their sealed notifications say of money -> rows. Nothing of the payer is kept (T-16). */
@Injectable()
export class RecordPaymentsService {
  constructor(
    private readonly writer: PaymentWriter,
    @Inject(NOTIFICATION_SEALER) private readonly payloads: PayloadSealer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async record(terminals: readonly TransactionTerminal[]): Promise<void> {
    await this.writer.terminals(terminals.map(terminal => this.factsOf(terminal)).filter(facts => facts !== undefined));
  }

  /** One that cannot be opened is passed over: the group that delivers parks it, and no other payment waits for it (T-29). */
  private factsOf(terminal: TransactionTerminal): TerminalFacts | undefined {
    try {
      const opened = parseNotification(this.payloads.open(terminal.notification).toString());
      const { amount, currencyCode, reference, code, tipAmount } = opened;
      const { transactionId, merchantId, kind, status, referenceTransactionId, completedAt } = terminal;
      return {
        transactionId,
        merchantId,
        kind,
        status,
        referenceTransactionId,
        completedAt,
        amount: String(amount),
        currencyCode,
        reference,
        code: code ?? null,
        tipAmount: tipAmount === null ? null : String(tipAmount),
      };
    } catch (error) {
      const { transactionId } = terminal;
      this.log.error({ event: 'notification-not-opened', transactionId, err: error }, 'a payment is missing in the portal');
      return undefined;
    }
  }
}
