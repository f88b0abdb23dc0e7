import { Injectable } from '@nestjs/common';
import type { FollowUp, Identity, PortalSandboxCode, PortalSandboxTransaction } from '@paycode/dto';
import { CodePaymentsService } from '../codes/code-payments.service';
import { type CodeRequest, CodesService, CodeUrls } from '../codes/codes.service';

type CodeWish = Pick<CodeRequest, 'amount' | 'currencyCode' | 'merchantReference'> &
  Partial<Pick<CodeRequest, 'shortDescription' | 'expiryDate' | 'useOnce' | 'requestTip'>>;

interface SandboxPayment {
  code: string;
  txState: string;
  announcedAfterS: number;
}

const payer = '+27820000001';

/** Flow: what a person of a merchant wants to see in the portal -> a code of this merchant, its payment, or what follows it. */
@Injectable()
export class PortalSandboxService {
  constructor(
    private readonly codes: CodesService,
    private readonly payments: CodePaymentsService,
    private readonly urls: CodeUrls,
  ) {}

  /** As createCode, so the same wish makes one code. @throws DomainError 400 for a wish that cannot be */
  async makeCode(caller: Identity, wish: CodeWish) {
    const { amount, currencyCode, merchantReference, shortDescription, expiryDate, useOnce, requestTip } = wish;
    const { code } = await this.codes.create(caller, {
      amount,
      currencyCode,
      merchantReference,
      merchantId: undefined,
      expiryDate,
      useOnce: useOnce ?? true,
      requestTip: requestTip ?? false,
      requestContact: false,
      shortDescription: shortDescription ?? null,
      extraReferenceName: null,
      extraReferenceValue: null,
    });
    return {
      code: code.code,
      payUrl: this.urls.payUrlOf(code.code),
      qrPath: `/public/qr/${code.code}.svg`,
      expiresAtMs: code.expiresAtMs,
    } satisfies PortalSandboxCode;
  }

  /** @throws DomainError 404 for a code of another merchant, 400 for one that cannot be paid any more */
  async pay(caller: Identity, { code, ...wish }: SandboxPayment): Promise<PortalSandboxTransaction> {
    const { code: own } = await this.codes.ofCaller(caller, code);
    const payment = { ...wish, code: own.code, clientMsisdn: payer, tipAmount: null, clientContact: null };
    const { transactionId, status } = await this.payments.pay({ ...payment, idempotencyKey: null });
    return { transactionId, status };
  }

  /** @throws DomainError 404 for a code of another merchant, 400 when it has no payment to which this may happen */
  follow(caller: Identity, { code, followUp }: { code: string; followUp: FollowUp }): Promise<PortalSandboxTransaction> {
    return this.payments.simulate(caller, { code, event: followUp });
  }
}
