import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FollowUp, PortalSandboxCode, PortalSandboxTransaction } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type Origin } from '../audit';
import { actorOf, type Person } from '../people';
import { notYours } from '../tenancy';
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
    await this.record('SANDBOX_CODE_MADE', asking, made.code);
    return { ...made, ...wish, merchantReference };
  }

  async pay(payment: { code: string; txState: string }, asking: Rehearsing): Promise<PortalSandboxTransaction> {
    const paid = await this.calls.ask<PortalSandboxTransaction>('pay', { ...this.admitted(asking), ...payment });
    await this.record('SANDBOX_CODE_PAID', asking, payment.code);
    return paid;
  }

  async follow(wish: { code: string; followUp: FollowUp }, asking: Rehearsing): Promise<PortalSandboxTransaction> {
    const followed = await this.calls.ask<PortalSandboxTransaction>('follow', { ...this.admitted(asking), ...wish });
    await this.record('SANDBOX_PAYMENT_FOLLOWED', asking, wish.code);
    return followed;
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

  private record(action: AuditEvent['action'], { person, origin }: Rehearsing, code: string): Promise<void> {
    const { personId, name: personName, tenantId } = person;
    return this.audit.record({ personId, personName, action, merchantId: Number(tenantId), origin, detail: { code } });
  }
}
