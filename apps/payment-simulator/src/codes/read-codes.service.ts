import { Injectable } from '@nestjs/common';
import type { Identity, MerchantRecord, TransactionNotificationV3 } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { MerchantAccess, MerchantDirectory } from '../merchants';
import { ReadTransactionsService, type StoredTransaction } from '../transactions';
import { CodeStore } from './codes.ports';
import { codeForm, type PaymentCode } from './domain/code';

export interface CodeWithMerchant {
  code: PaymentCode;
  merchant: MerchantRecord;
}

/** Flow: code -> the data that its merchant, a wallet, or the person who scanned it may read. */
@Injectable()
export class ReadCodesService {
  constructor(
    private readonly codes: CodeStore,
    private readonly access: MerchantAccess,
    private readonly merchants: MerchantDirectory,
    private readonly transactions: ReadTransactionsService,
  ) {}

  /** For the merchant and its PSP. @throws DomainError 404 for an unknown code and for one of another merchant */
  async ofCaller(caller: Identity, code: string): Promise<CodeWithMerchant> {
    const found = await this.find(code);
    if (!found || !(await this.access.maySee(caller, found.code.merchantId))) throw notFound();
    return found;
  }

  /** For anybody who has the code. @throws DomainError 404 */
  async ofAnybody(code: string): Promise<CodeWithMerchant> {
    const found = await this.find(code);
    if (!found) throw notFound();
    return found;
  }

  /**
   * State of a code, for a merchant that polls.
   * @throws DomainError 406 when the merchant has a notification URL: it is notified instead (R-1-5, R-4.5-1, R-7-12); 404 for a
   * code or reference that is unknown or another's
   */
  async queryReference(
    caller: Identity,
    query: { code: string; merchantReference: string },
  ): Promise<{
    code: PaymentCode;
    payment: { transaction: StoredTransaction; notification: TransactionNotificationV3 } | undefined;
  }> {
    if (caller.accountType === 'MERCHANT' && caller.ownerId !== null) await this.refuseNotified(caller.ownerId);
    const { code } = await this.ofCaller(caller, query.code);
    if (code.merchantReference !== query.merchantReference) throw notFound();
    if (caller.accountType !== 'MERCHANT') await this.refuseNotified(code.merchantId);
    return { code, payment: await this.transactions.latestOfCode(code.code) };
  }

  private async refuseNotified(merchantId: number): Promise<void> {
    if (await this.merchants.hasNotificationUrl(merchantId))
      throw new DomainError({ status: 406, reason: 'MERCHANT_IS_NOTIFIED', message: 'Not Acceptable' });
  }

  private async find(code: string): Promise<CodeWithMerchant | undefined> {
    if (!codeForm.test(code)) return undefined;
    const found = await this.codes.find(code);
    const merchant = found && (await this.merchants.find(found.merchantId));
    return merchant && { code: found, merchant };
  }
}

function notFound(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_CODE', message: 'Not Found' });
}
