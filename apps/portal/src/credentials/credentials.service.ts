import { Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type {
  KeyTrial,
  NewPassword,
  PortalAccount,
  PortalAccountAnswers,
  PortalAccountOperation,
  PortalAccountRequest,
  PortalAnswer,
  PortalApiSession,
} from '@paycode/dto';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { valueOf } from '../neighbours';
import type { Person } from '../people/domain/person';
import type { Proof, Proven } from '../sessions/proofs';
import { PasswordService } from '../sign-in/password.service';
import { notYours } from '../tenancy/scope';

/** The one connection to auth-session. */
export class AuthSessionCalls {
  constructor(readonly client: InternalClient) {}

  /** @throws DomainError with what auth-session refuses, in its words */
  async ask<Operation extends PortalAccountOperation>(
    operation: Operation,
    request: PortalAccountRequest,
    proof: Proof,
  ): Promise<PortalAccountAnswers[Operation]> {
    const path = `/internal/portal/accounts/${operation}`;
    return valueOf(await this.client.post<PortalAnswer<PortalAccountAnswers[Operation]>>(path, request, await proof()));
  }
}

/** Flow: what a person asked, with its own password before a change -> of the account of the person's own merchant or PSP, by auth-session -> written down with the person's name. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly calls: AuthSessionCalls,
    private readonly audit: AuditLog,
    private readonly password: PasswordService,
  ) {}

  async show({ person, proof }: Proven): Promise<PortalAccount> {
    return this.calls.ask('show', requestOf(person), proof);
  }

  /** The old password fails from now on, and sessions that were opened with it have ended. */
  async newPassword(current: string, asking: Proven): Promise<NewPassword> {
    const request = requestOf(asking.person);
    await this.password.demand(current, asking);
    const value = await this.calls.ask('new-password', request, asking.proof);
    await this.record('API_PASSWORD_RENEWED', asking);
    return value;
  }

  setPublicKey({ current, publicKey }: { current: string; publicKey: string }, asking: Proven): Promise<PortalAccount> {
    return this.change('set-public-key', { action: 'API_PUBLIC_KEY_SET', current, set: { publicKey } }, asking);
  }

  /** Whether the person holds the registered key; opens no session. */
  async tryPublicKey(trial: { nonce: string; signature: string }, { person, proof }: Proven): Promise<KeyTrial> {
    return this.calls.ask('try-public-key', { ...requestOf(person), ...trial }, proof);
  }

  requireChallenge(
    { current, challengeRequired }: { current: string; challengeRequired: boolean },
    asking: Proven,
  ): Promise<PortalAccount> {
    return this.change(
      'require-challenge',
      { action: 'API_CHALLENGE_RULE_CHANGED', current, set: { challengeRequired } },
      asking,
    );
  }

  bindToSources(
    { current, sourceAddresses }: { current: string; sourceAddresses: string[] },
    asking: Proven,
  ): Promise<PortalAccount> {
    return this.change('bind-to-sources', { action: 'API_SOURCES_CHANGED', current, set: { sourceAddresses } }, asking);
  }

  /** Cannot be undone: the password is cleared, and one that is made afterwards is for the login alone. The caller has asked for the own password. */
  async enableBearer(asking: Proven, askedBy?: string): Promise<PortalAccount> {
    const asker: Record<string, string> = askedBy === undefined ? {} : { askedBy };
    const value = await this.calls.ask('enable-bearer', { ...requestOf(asking.person), ...asker }, asking.proof);
    await this.record('API_BEARER_ENABLED', asking, asker);
    return value;
  }

  async sessions({ person, proof }: Proven): Promise<PortalApiSession[]> {
    return this.calls.ask('sessions', requestOf(person), proof);
  }

  async endSession(sessionId: string, asking: Proven): Promise<void> {
    await this.calls.ask('end-session', { ...requestOf(asking.person), sessionId }, asking.proof);
    await this.record('API_SESSION_ENDED', asking);
  }

  private async change(
    operation: 'set-public-key' | 'require-challenge' | 'bind-to-sources',
    { action, current, set }: { action: AuditEvent['action']; current: string; set: Partial<PortalAccountRequest> },
    asking: Proven,
  ): Promise<PortalAccount> {
    const request = { ...requestOf(asking.person), ...set };
    await this.password.demand(current, asking);
    const value = await this.calls.ask(operation, request, asking.proof);
    await this.record(action, asking);
    return value;
  }

  private record(action: AuditEvent['action'], asking: ByPerson, more: Record<string, string> = {}): Promise<void> {
    const { tenantType, tenantId } = asking.person;
    const detail = { tenant: `${tenantType} ${tenantId}`, ...more };
    return this.audit.record({ ...doneBy(asking), action, detail });
  }
}

/** From the person who is signed in, never from what a request says. @throws DomainError 404 for people whose programs have no account by their number */
function requestOf(person: Person): PortalAccountRequest {
  const { tenantType: type, tenantId } = person;
  if (type !== 'MERCHANT' && type !== 'PSP') throw notYours();
  return { type, ownerId: Number(tenantId) };
}
