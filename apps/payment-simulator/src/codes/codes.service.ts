import { Injectable } from '@nestjs/common';
import type { Identity, MerchantRecord } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { randomInt } from 'node:crypto';
import { MerchantAccess, MerchantDirectory } from '../merchants';
import { amountProblem, plainAmount } from '../transactions/domain/decimal';
import type { NotifiedTransaction } from '../transactions/domain/transaction';
import { TransactionsService } from '../transactions/transactions.service';
import { CodeStore } from './code.store';
import { codeForm, codeOf, codeSpace, hasSameContent, type PaymentCode } from './domain/code';

/** URLs of codes for people. */
export class CodeUrls {
  /** `publicBaseUrl`: base URL for people's devices, e.g. `https://localhost:8443`. */
  constructor(private readonly publicBaseUrl: string) {}

  /** The payment page of a code, which is the content of its QR image. */
  payUrlOf(code: string): string {
    return `${this.publicBaseUrl}/public/pay/${code}`;
  }

  /** The code in a scanned text: the 10 digits, or the address of the payment page. */
  codeIn(scanned: string): string {
    const prefix = this.payUrlOf('');
    return scanned.startsWith(prefix) ? scanned.slice(prefix.length) : scanned;
  }
}

export interface CodeRequest extends Omit<PaymentCode, 'code' | 'merchantId' | 'isUsed' | 'expiresAtMs'> {
  /** Required for a PSP. */
  merchantId: number | undefined;
  /** Milliseconds since 1970; 0: never; undefined: in 30 minutes. */
  expiryDate: number | undefined;
}

const defaultLifeMs = 30 * 60_000;
const latestExpiryMs = 8_640_000_000_000_000;
const drawsMax = 8;

export interface CreatedCode {
  code: PaymentCode;
  /** The same call was made before: this is its code. */
  isRepeat: boolean;
}

export interface CodeWithMerchant {
  code: PaymentCode;
  merchant: MerchantRecord;
}

/**
 * Flow: caller -> its merchant -> a random free number -> a code that can be paid. Also code -> the data that its merchant, a wallet, or
 * the person who scanned it may read.
 */
@Injectable()
export class CodesService {
  constructor(
    private readonly codes: CodeStore,
    private readonly access: MerchantAccess,
    private readonly merchants: MerchantDirectory,
    private readonly transactions: TransactionsService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 400 for a merchant that is not the caller's, a bad amount, a past expiry or a reference used for another content */
  async create(caller: Identity, request: CodeRequest): Promise<CreatedCode> {
    const { merchantId } = await this.access.actingFor(caller, request.merchantId);
    const amount = plainAmount(request.amount, request.currencyCode);
    const problem = amountProblem(amount, request.currencyCode);
    if (problem) throw invalidField('amount', problem);
    const expiresAtMs = this.expiryOf(request.expiryDate);
    for (let draw = 0; draw < drawsMax; draw++) {
      const { expiryDate: _, ...fields } = request;
      // From a cryptographic source: a code must not be guessable from another.
      const code = { ...fields, amount, merchantId, expiresAtMs, isUsed: false, code: codeOf(randomInt(codeSpace)) };
      const outcome = await this.codes.add(code);
      if (outcome === 'added') return { code, isRepeat: false };
      if (outcome === 'reference-taken') return { code: await this.repeated(code, request), isRepeat: true };
    }
    throw new DomainError({ status: 503, reason: 'NO_FREE_CODE', message: 'no free code found' });
  }

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
  ): Promise<{ code: PaymentCode; payment: NotifiedTransaction | undefined }> {
    if (caller.accountType === 'MERCHANT' && caller.ownerId !== null) await this.refuseNotified(caller.ownerId);
    const { code } = await this.ofCaller(caller, query.code);
    if (code.merchantReference !== query.merchantReference) throw notFound();
    if (caller.accountType !== 'MERCHANT') await this.refuseNotified(code.merchantId);
    return { code, payment: await this.transactions.latestOfCode(code.code) };
  }

  /** The code of the first call, for a client that lost the answer. An expiry that was left out agrees with any. */
  private async repeated(code: PaymentCode, { expiryDate }: CodeRequest): Promise<PaymentCode> {
    const first = await this.codes.findByReference(code.merchantId, code.merchantReference);
    const isSame = first && hasSameContent(first, code) && (expiryDate === undefined || first.expiresAtMs === code.expiresAtMs);
    if (!isSame) throw invalidField('merchantReference', 'was used for another code');
    return first;
  }

  private expiryOf(expiryDate: number | undefined): number | null {
    if (expiryDate === undefined) return this.clock.epochMs() + defaultLifeMs;
    if (expiryDate === 0) return null;
    if (expiryDate <= this.clock.epochMs() || expiryDate > latestExpiryMs)
      throw invalidField('expiryDate', 'must be in the future');
    return expiryDate;
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
