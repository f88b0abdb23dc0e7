import { Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { PortalAnswer, PortalNotifications, PortalOperation, PortalOperationAnswers, PortalRequest } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { valueOf } from '../neighbours';
import { actorOf } from '../people/domain/person';
import { PasswordService } from '../sign-in/password.service';
import type { Scope } from '../tenancy/scope';

type Answers = PortalOperationAnswers<ProbeOutcome>;

/** The one connection to notification-config. */
export class NotificationConfigCalls {
  constructor(readonly client: InternalClient) {}

  /** Of a merchant within the scope. @throws DomainError 404 outside of it, and what notification-config refuses, in its words */
  async ask<Operation extends PortalOperation>(
    scope: Scope,
    operation: Operation,
    request: PortalRequest,
  ): Promise<Answers[Operation]> {
    scope.narrowedTo(request.merchantId);
    return valueOf(
      await this.client.post<PortalAnswer<Answers[Operation]>>(`/internal/portal/notifications/${operation}`, request),
    );
  }
}

export type AskingPerson = ByPerson & { scope: Scope };

type Request = Omit<PortalRequest, 'actor'>;

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

  show(merchantId: number, { person, scope }: AskingPerson): Promise<PortalNotifications> {
    return this.calls.ask(scope, 'list', { merchantId, actor: actorOf(person) });
  }

  /**
   * For changes that send notifications elsewhere, show the key or silence those who are told: a stolen session alone makes none of them
   * (T-52). `current`: the own password. @throws DomainError 401, 404 outside the scope, 429, and as `do`
   */
  async doProven<Operation extends PortalOperation>(
    operation: Operation,
    { current, request }: { current: string; request: Request },
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
    request: Request,
    asking: AskingPerson,
  ): Promise<Answers[Operation]> {
    const value = await this.calls.ask(asking.scope, operation, { ...request, actor: actorOf(asking.person) });
    const action = actions[operation];
    if (action) await this.audit.record({ ...doneBy(asking), action, merchantId: request.merchantId });
    return value;
  }
}
