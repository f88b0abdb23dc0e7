import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { Clock } from '@paycode/timing';
import { MerchantAccess } from '../merchants';
import { amountProblem } from '../transactions';
import { CodeStore } from './codes.ports';
import { codeOf, codeSpace, hasSameContent, type PaymentCode } from './domain/code';

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

/** Flow: caller -> its merchant -> a random free number -> a code that can be paid. */
@Injectable()
export class CreateCodeService {
  constructor(
    private readonly codes: CodeStore,
    private readonly merchants: MerchantAccess,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 400 for a merchant that is not the caller's, a bad amount, a past expiry or a reference used for another content */
  async create(caller: Identity, request: CodeRequest): Promise<CreatedCode> {
    const { merchantId } = await this.merchants.actingFor(caller, request.merchantId);
    const problem = amountProblem(request.amount, request.currencyCode);
    if (problem) throw invalidField('amount', problem);
    const expiresAtMs = this.expiryOf(request.expiryDate);
    for (let draw = 0; draw < drawsMax; draw++) {
      const { expiryDate: _, ...fields } = request;
      // From a cryptographic source: a code must not be guessable from another.
      const code = { ...fields, merchantId, expiresAtMs, isUsed: false, code: codeOf(randomInt(codeSpace)) };
      const outcome = await this.codes.add(code);
      if (outcome === 'added') return { code, isRepeat: false };
      if (outcome === 'reference-taken') return { code: await this.repeated(code, request), isRepeat: true };
    }
    throw new DomainError({ status: 503, reason: 'NO_FREE_CODE', message: 'no free code found' });
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
}
