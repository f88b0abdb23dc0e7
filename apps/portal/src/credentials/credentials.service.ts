import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
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
import { DomainError } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { type AskedReport, FourEyesService, type Overview, type Subject } from '../four-eyes/four-eyes.service';
import { refusal, valueOf } from '../neighbours';
import type { Person } from '../people/domain/person';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
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

export interface Typed {
  current: string;
  typed: string;
}

export type SwitchOverview = Overview & { takesTwo: boolean };

/**
 * Flow, in the sandbox: the name of the account, typed by the person, and the own password -> the account takes session tokens for good.
 * In production: an owner names the account and gives the own password -> another owner does the same within a day -> the same.
 */
@Injectable()
export class BearerSwitchService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly fourEyes: FourEyesService,
    private readonly password: PasswordService,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  async show(asking: Proven): Promise<SwitchOverview> {
    const account = await this.credentials.show(asking);
    if (!this.rules.isProduction) return { takesTwo: false, request: null, owners: [] };
    return { takesTwo: true, ...(await this.fourEyes.overview(subjectOf(account), asking.person)) };
  }

  /** @throws DomainError 403 in production, where one person alone must not stop the programs of a shop; 400 for another name */
  async switch({ current, typed }: Typed, asking: Proven): Promise<PortalAccount> {
    if (this.rules.isProduction) throw secondPerson();
    demandName(typed, await this.credentials.show(asking));
    await this.password.demand(current, asking);
    return this.credentials.enableBearer(asking);
  }

  /** @throws DomainError 400 for another name, 401, 409 */
  async ask(given: Typed, asking: Proven): Promise<AskedReport> {
    return this.fourEyes.ask(await this.proven(given, asking), asking);
  }

  /** @throws DomainError 400 for another name, 401, 403 for the own request, 404, 409 for one that has ended */
  async confirm({ requestId, ...given }: Typed & { requestId: string }, asking: Proven): Promise<PortalAccount> {
    const subject = await this.proven(given, asking);
    const { askedBy } = await this.fourEyes.confirm(requestId, subject, asking);
    return this.credentials.enableBearer(asking, askedBy.name);
  }

  /** The account is read last: what changes it while the password is looked at counts. */
  private async proven({ current, typed }: Typed, asking: Proven): Promise<Subject> {
    if (!this.rules.isProduction) throw onePerson();
    await this.password.demand(current, asking);
    const account = await this.credentials.show(asking);
    demandName(typed, account);
    if (account.mode === 'BEARER') throw switchedAlready();
    return subjectOf(account);
  }
}

function subjectOf({ username, mode, hasPassword, challengeRequired, ...account }: PortalAccount): Subject {
  const { sourceAddresses, publicKeySha256, passwordChangedAt } = account;
  const all = [username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt];
  return { kind: 'BEARER_SWITCH', fingerprint: createHash('sha256').update(JSON.stringify(all)).digest('hex') };
}

const onePerson = () => refusal([409, 'ONE_PERSON'], 'in the sandbox one person makes the switch: nobody has to confirm it');
const switchedAlready = () => refusal([409, 'SWITCHED_ALREADY'], 'the account takes session tokens already');

/** @throws DomainError 400 */
function demandName(typed: string, { username }: PortalAccount): void {
  if (typed.trim() === username) return;
  const message = `type the name of the account to switch it for good: ${username}`;
  throw new DomainError({ status: 400, reason: 'NOT_NAMED', message });
}

const secondPerson = () =>
  refusal([403, 'SECOND_PERSON'], 'in production another owner confirms the switch: ask for it first, it cannot be undone');
