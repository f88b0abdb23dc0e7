import { Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { PortalAnswer, PortalNotifications, PortalOperation, PortalOperationAnswers, PortalRequest } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { type AuditEvent, AuditLog, doneBy } from '../audit';
import { valueOf } from '../neighbours';
import type { Proven } from '../sessions/proofs';
import { PasswordService } from '../sign-in/password.service';
import type { Scope } from '../tenancy/scope';

type Answers = PortalOperationAnswers<ProbeOutcome>;

/** The one connection to notification-config. */
export class NotificationConfigCalls {
  constructor(readonly client: InternalClient) {}

  /** Of a merchant within the scope. @throws DomainError 404 outside of it, and what notification-config refuses, in its words */
  async ask<Operation extends PortalOperation>(
    operation: Operation,
    request: PortalRequest,
    { scope, proof }: Pick<AskingPerson, 'scope' | 'proof'>,
  ): Promise<Answers[Operation]> {
    scope.narrowedTo(request.merchantId);
    const path = `/internal/portal/notifications/${operation}`;
    return valueOf(await this.client.post<PortalAnswer<Answers[Operation]>>(path, request, await proof()));
  }
}

export type AskingPerson = Proven & { scope: Scope };

const actions: Partial<Record<PortalOperation, AuditEvent['action']>> = {
  'add-http': 'URL_SET',
  'remove-http': 'URL_REMOVED',
  'renew-key': 'KEY_RENEWED',
  'add-recipient': 'RECIPIENT_ADDED',
  'remove-recipient': 'RECIPIENT_REMOVED',
  check: 'URL_CHECKED',
  'send-test': 'TEST_SENT',
};

/** Flow: what a person asked -> within its scope, by notification-config -> written down with the person's name. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly calls: NotificationConfigCalls,
    private readonly password: PasswordService,
    private readonly audit: AuditLog,
  ) {}

  show(merchantId: number, asking: AskingPerson): Promise<PortalNotifications> {
    return this.calls.ask('list', { merchantId }, asking);
  }

  /**
   * For changes that send notifications elsewhere, show the key or silence those who are told: a stolen session alone makes none of them
   * (T-52). `current`: the own password. @throws DomainError 401, 404 outside the scope, 429, and as `do`
   */
  async doProven<Operation extends PortalOperation>(
    operation: Operation,
    { current, request }: { current: string; request: PortalRequest },
    asking: AskingPerson,
  ): Promise<Answers[Operation]> {
    // A merchant of others is not known, whatever the password (T-24).
    asking.scope.narrowedTo(request.merchantId);
    await this.password.demand(current, asking);
    return this.do(operation, request, asking);
  }

  /** @throws DomainError 404 outside the scope, and what notification-config refuses */
  async do<Operation extends PortalOperation>(
    operation: Operation,
    request: PortalRequest,
    asking: AskingPerson,
  ): Promise<Answers[Operation]> {
    const value = await this.calls.ask(operation, request, asking);
    const action = actions[operation];
    if (action) await this.audit.record({ ...doneBy(asking), action, merchantId: request.merchantId });
    return value;
  }
}
