import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FollowUp, PortalSandboxCode, PortalSandboxTransaction, RedeliveryAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type Origin } from '../audit/audit.ports';
import { actorOf, type Person } from '../people/domain/person';
import { notYours } from '../tenancy/scope';
import { SandboxCalls } from './sandbox-calls';
import { SandboxLimits } from './sandbox-limits';

export interface Rehearsing {
  person: Person;
  origin: Origin;
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

  async makeCode(wish: { amount: string; currencyCode: string }, asking: Rehearsing): Promise<MadeCode> {
    const merchantReference = `portal-${randomUUID()}`;
    const request = { ...this.admitted(asking), ...wish, merchantReference };
    const made = await this.calls.ask<PortalSandboxCode>('make-code', request);
    await this.record('SANDBOX_CODE_MADE', asking, { code: made.code });
    return { ...made, ...wish, merchantReference };
  }

  async pay(payment: SandboxPayment, asking: Rehearsing): Promise<PortalSandboxTransaction> {
    const paid = await this.calls.ask<PortalSandboxTransaction>('pay', { ...this.admitted(asking), ...payment });
    await this.record('SANDBOX_CODE_PAID', asking, { code: payment.code });
    return paid;
  }

  async follow(wish: { code: string; followUp: FollowUp }, asking: Rehearsing): Promise<PortalSandboxTransaction> {
    const followed = await this.calls.ask<PortalSandboxTransaction>('follow', { ...this.admitted(asking), ...wish });
    await this.record('SANDBOX_PAYMENT_FOLLOWED', asking, { code: wish.code });
    return followed;
  }

  /** Only what moves no money is sent again. @throws DomainError 404 for a notification that is not there yet, 409 before its first delivery has ended */
  async repeat(transactionId: number, asking: Rehearsing): Promise<RedeliveryAnswer> {
    const { merchantId } = this.admitted(asking);
    const repeated = await this.calls.redeliverNotice({ transactionId, merchantId });
    await this.record('SANDBOX_NOTICE_REPEATED', asking, { transactionId: String(transactionId) });
    return repeated;
  }

  /** The merchant of the person who is signed in, never one that a request names. @throws DomainError 404 in production and for other tenants, 429 */
  private admitted({ person }: Rehearsing): { merchantId: number; actor: string } {
    if (this.environment.name !== 'sandbox')
      throw new DomainError({ status: 404, reason: 'NO_SANDBOX', message: 'production has no sandbox: rehearse there first' });
    if (person.tenantType !== 'MERCHANT') throw notYours();
    const merchantId = Number(person.tenantId);
    this.limits.take(merchantId);
    return { merchantId, actor: actorOf(person) };
  }

  private record(action: AuditEvent['action'], { person, origin }: Rehearsing, detail: Record<string, string>): Promise<void> {
    const { personId, name: personName, tenantId } = person;
    return this.audit.record({ personId, personName, action, merchantId: Number(tenantId), origin, detail });
  }
}
