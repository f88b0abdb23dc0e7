import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type ByPerson, type Origin } from '../audit';
import { refusal } from '../neighbours';
import { tenantName } from '../people/domain/person';
import { InvitationMailer, type Inviter, PeopleService } from '../people/people.service';
import { PeopleStore } from '../people/people.store';
import { newSecret, secretHash } from '../people/secrets';
import { notYours } from '../tenancy/scope';
import {
  recoveredTenants,
  type Recovery,
  type RecoveryReport,
  type Refusal,
  refusalOf,
  reportOf,
  stateAt,
  type Tenant,
  waitMs,
  type WantedRecovery,
} from './domain/recovery';
import { type KnownRecovery, RecoveryStore } from './recovery.store';

/** An operator, by the subject of its token. */
export interface Operator {
  subject: string;
  origin: Origin;
}

/**
 * Flow: an operator asks -> every owner is mailed, and has three days to refuse -> another operator confirms -> the new owner is invited. Each
 * step is in the record of the account.
 */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly people: PeopleStore,
    private readonly invitations: PeopleService,
    private readonly mailer: InvitationMailer,
    private readonly audit: AuditLog,
  ) {}

  async list(): Promise<RecoveryReport[]> {
    return (await this.recoveries.list()).map(shownOf);
  }

  /** The open recovery of the person's account. */
  async openFor({ person: { tenantType, tenantId } }: Pick<ByPerson, 'person'>): Promise<RecoveryReport | null> {
    const tenant = recoveredTenants.find(each => each === tenantType);
    const found = tenant && (await this.recoveries.latest({ tenantType: tenant, tenantId }));
    return found && isOpen(found) ? shownOf(found) : null;
  }

  /** Stored after the owners are mailed: a recovery that nobody was mailed about never runs out. @throws DomainError 409, 503 when a mail is not sure */
  async ask(wanted: WantedRecovery, by: Operator): Promise<RecoveryReport> {
    const found = await this.recoveries.latest(wanted);
    if (found && isOpen(found)) throw alreadyOpen();
    await this.mailOwners(wanted);
    const asked = await this.recoveries.put(wanted, by.subject);
    if (!asked) throw alreadyOpen();
    await this.record('OWNER_RECOVERY_ASKED', asked.recovery, byOperator(by));
    return shownOf(asked);
  }

  /** By another operator, when the owners had time. @throws DomainError 403, 404, 409 */
  confirm(recoveryId: string, by: Operator): Promise<RecoveryReport> {
    const operator = byOperator(by);
    return this.end(recoveryId, {
      state: 'CONFIRMED',
      by: operator.name,
      act: async ({ recovery, now }) => {
        const refusal = refusalOf(recovery, { by: by.subject, now });
        if (refusal) throw refused(refusal);
        await this.record('OWNER_RECOVERY_CONFIRMED', recovery, operator);
        await this.invitations.letInOwner(recovery, operator);
      },
    });
  }

  /** @throws DomainError 404, 409 */
  withdraw(recoveryId: string, by: Operator): Promise<RecoveryReport> {
    const operator = byOperator(by);
    return this.end(recoveryId, {
      state: 'WITHDRAWN',
      by: operator.name,
      act: async found => {
        demandOpen(found);
        await this.record('OWNER_RECOVERY_WITHDRAWN', found.recovery, operator);
      },
    });
  }

  /** By an owner of the account. @throws DomainError 404, 409 */
  async refuse(recoveryId: string, { person, origin }: ByPerson): Promise<void> {
    const { personId, name, tenantType, tenantId } = person;
    await this.end(recoveryId, {
      state: 'REFUSED',
      by: name,
      act: async found => {
        if (found.recovery.tenantType !== tenantType || found.recovery.tenantId !== tenantId) throw notYours();
        demandOpen(found);
        await this.record('OWNER_RECOVERY_REFUSED', found.recovery, { personId, name, origin });
      },
    });
  }

  private async end(recoveryId: string, step: Parameters<RecoveryStore['end']>[1]): Promise<RecoveryReport> {
    const ended = await this.recoveries.end(recoveryId, step);
    if (!ended) throw notYours();
    return shownOf(ended);
  }

  /** auth-session asserts an invitation, and nothing else, for a mail to somebody who is not signed in; this mail does not hold its secret. */
  private async mailOwners(tenant: Tenant): Promise<void> {
    const owners = (await this.people.ofTenant(tenant)).filter(({ role, isIn }) => role === 'OWNER' && isIn);
    if (owners.length === 0) throw nobodyIsIn();
    const expiresAt = new Date(Date.now() + waitMs);
    for (const { personId } of owners) {
      const secret = newSecret();
      await this.people.invite(personId, { tokenHash: secretHash(secret), expiresAt });
      await this.mailer.send(secret, { reason: 'OWNER_RECOVERY' });
    }
  }

  private record(action: AuditEvent['action'], recovery: Recovery, { personId, name: personName, origin }: Inviter) {
    const { recoveryId, name, reason, askedBy } = recovery;
    const detail = { recoveryId, name, reason, askedBy: `operator ${askedBy}`, tenant: tenantName(recovery) };
    return this.audit.record({ personId, personName, tenant: recovery, action, origin, detail });
  }
}

function byOperator({ subject, origin }: Operator): Inviter {
  return { personId: null, name: `operator ${subject}`, origin };
}

function isOpen({ recovery, now }: KnownRecovery): boolean {
  return stateAt(recovery, now) === 'OPEN';
}

function demandOpen({ recovery, now }: KnownRecovery): void {
  const state = stateAt(recovery, now);
  if (state !== 'OPEN') throw refused(state);
}

function shownOf({ recovery, now }: KnownRecovery): RecoveryReport {
  return reportOf(recovery, now);
}

const words: Record<Refusal, string> = {
  OWN: 'nobody confirms the own recovery: another operator does',
  EARLY: 'the owners have three days from asking on to refuse: confirm it after confirmsFrom',
  EXPIRED: 'this recovery has run out after seven days: ask again',
  CONFIRMED: 'this recovery was confirmed already',
  WITHDRAWN: 'this recovery was withdrawn: ask again',
  REFUSED: 'an owner of the account has refused this recovery',
};

function refused(refusal: Refusal): DomainError {
  return new DomainError({ status: refusal === 'OWN' ? 403 : 409, reason: `RECOVERY_${refusal}`, message: words[refusal] });
}

const alreadyOpen = () => refusal([409, 'RECOVERY_OPEN'], 'a recovery of this account is open: confirm or withdraw it first');
const nobodyIsIn = () => refusal([409, 'NO_OWNER'], 'this account has no owner who is in: invite its first owner instead');
