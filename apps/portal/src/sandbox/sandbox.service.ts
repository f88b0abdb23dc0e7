import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import {
  type FollowUp,
  inCurrency,
  type PortalAnswer,
  type PortalNotificationRequest,
  type PortalSandboxAnswers,
  type PortalSandboxCode,
  type PortalSandboxOperation,
  type PortalSandboxRequest,
  type PortalSandboxTransaction,
  type RedeliveryAnswer,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { BoundedMap, type BucketRate, type Clock, TokenBucket } from '@paycode/service-runtime/timing';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { valueOf } from '../neighbours';
import type { Proof, Proven } from '../sessions/proofs';
import { notYours } from '../tenancy/scope';

type Client = Pick<InternalClient, 'post'>;

/** The connections to the sandbox's payment core, and to the dispatcher for what it may send again. */
export class SandboxCalls {
  constructor(
    private readonly core: Client,
    private readonly dispatcher: Client,
  ) {}

  /** @throws DomainError with what the payment core refuses, in its words */
  async ask<Operation extends PortalSandboxOperation>(
    operation: Operation,
    request: PortalSandboxRequest,
    proof: Proof,
  ): Promise<PortalSandboxAnswers[Operation]> {
    const path = `/internal/portal/sandbox/${operation}`;
    return valueOf(await this.core.post<PortalAnswer<PortalSandboxAnswers[Operation]>>(path, request, await proof()));
  }

  /** @throws DomainError 404, 409 with what the dispatcher refuses, in its words */
  async redeliverNotice(request: PortalNotificationRequest, proof: Proof): Promise<RedeliveryAnswer> {
    const path = '/internal/portal/notifications/repeat';
    return valueOf(await this.dispatcher.post<PortalAnswer<RedeliveryAnswer>>(path, request, await proof()));
  }
}

/** A merchant plays every status at once (36 calls) and a burst, and then waits. */
const rate: BucketRate = { burst: 120, refillMs: 1_000 };
const merchantsMax = 1_000;

/** How much a merchant may rehearse. In memory: a replica more lets through a burst more, and no money moves. */
export class SandboxLimits {
  private readonly buckets = new BoundedMap<number, TokenBucket>(merchantsMax);

  constructor(private readonly clock: Clock) {}

  /** @throws DomainError 429 */
  take(merchantId: number): void {
    const nowMs = this.clock.epochMs();
    const bucket = this.buckets.get(merchantId) ?? new TokenBucket(rate, { tokens: rate.burst, atMs: nowMs });
    this.buckets.set(merchantId, bucket);
    const waitMs = bucket.take(nowMs);
    if (waitMs === 0) return;
    const message = 'you rehearse faster than one call per second for a while: please wait a moment';
    throw new DomainError({
      status: 429,
      reason: 'REHEARSED_TOO_MUCH',
      message,
      headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
    });
  }
}

/** The fields of createCode that a person chooses. */
export interface CodeWish extends Pick<
  PortalSandboxRequest,
  'merchantReference' | 'shortDescription' | 'expiryDate' | 'useOnce' | 'requestTip'
> {
  amount: string;
  currencyCode: string;
}

export interface MadeCode extends PortalSandboxCode {
  merchantReference: string;
  amount: string;
  currencyCode: string;
}

export interface SandboxPayment {
  code: string;
  /** Terminal TxState. */
  txState: string;
  /** How much later the payment core announces it; 0 unless given. */
  announcedAfterS?: number | null;
}

export class SandboxEnvironment {
  constructor(readonly name: 'sandbox' | 'production') {}
}

/** Flow: what a person of a merchant rehearses -> of this merchant only, within its limit, by the payment core of the sandbox -> written down with the person's name. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly environment: SandboxEnvironment,
    private readonly calls: SandboxCalls,
    private readonly limits: SandboxLimits,
    private readonly audit: AuditLog,
  ) {}

  /** A wish with a reference makes one code, however often it is asked for. */
  async makeCode({ merchantReference = `portal-${randomUUID()}`, ...wish }: CodeWish, asking: Proven): Promise<MadeCode> {
    const request = { ...this.admitted(asking), ...wish, merchantReference };
    const made = await this.calls.ask('make-code', request, asking.proof);
    await this.record('SANDBOX_CODE_MADE', asking, { code: made.code });
    const { amount, currencyCode } = wish;
    return { ...made, currencyCode, amount: inCurrency(amount, currencyCode), merchantReference };
  }

  async pay(payment: SandboxPayment, asking: Proven): Promise<PortalSandboxTransaction> {
    const paid = await this.calls.ask('pay', { ...this.admitted(asking), ...payment }, asking.proof);
    await this.record('SANDBOX_CODE_PAID', asking, { code: payment.code });
    return paid;
  }

  async follow(wish: { code: string; followUp: FollowUp }, asking: Proven): Promise<PortalSandboxTransaction> {
    const followed = await this.calls.ask('follow', { ...this.admitted(asking), ...wish }, asking.proof);
    await this.record('SANDBOX_PAYMENT_FOLLOWED', asking, { code: wish.code });
    return followed;
  }

  /** Only what moves no money is sent again. @throws DomainError 404 for a notification that is not there yet, 409 before its first delivery has ended */
  async repeat(transactionId: number, asking: Proven): Promise<RedeliveryAnswer> {
    const { merchantId } = this.admitted(asking);
    const repeated = await this.calls.redeliverNotice({ transactionId, merchantId }, asking.proof);
    await this.record('SANDBOX_NOTICE_REPEATED', asking, { transactionId: String(transactionId) });
    return repeated;
  }

  /** The merchant of the person who is signed in, never one that a request names. @throws DomainError 404 in production and for other tenants, 429 */
  private admitted({ person }: ByPerson): { merchantId: number } {
    if (this.environment.name !== 'sandbox')
      throw new DomainError({ status: 404, reason: 'NO_SANDBOX', message: 'production has no sandbox: rehearse there first' });
    if (person.tenantType !== 'MERCHANT') throw notYours();
    const merchantId = Number(person.tenantId);
    this.limits.take(merchantId);
    return { merchantId };
  }

  private record(action: AuditEvent['action'], by: ByPerson, detail: Record<string, string>): Promise<void> {
    return this.audit.record({ ...doneBy(by), action, merchantId: Number(by.person.tenantId), detail });
  }
}
