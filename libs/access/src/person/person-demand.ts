import { may, type Permission } from '@paycode/dto/people';
import { DomainError } from '@paycode/service-runtime';
import { type ActingPerson, type InvitedPerson, type MailDemand, mailAssertionTypes, personHeader } from './person-assertion';

/** Required role of the person for whom the portal calls: one with this permission, or any; `NO_TENANT`: whose data it is about is not checked. */
type RoleDemand = Permission | 'ANY' | 'NO_TENANT';
/** `INVITED`, `ALERTED`: nobody is signed in, and an invitation or an alert that waits is shown instead. */
export type PersonDemand = RoleDemand | MailDemand;

/** PSP and acquirer of a merchant, as far as the service that is called knows them. undefined: it knows no such merchant. */
export abstract class MerchantTenants {
  abstract tenantsOf(merchantId: number): Promise<{ pspId: number | null; acquirer: string | null } | undefined>;
}

export interface PersonRules {
  /** undefined: the assertion is not valid now. */
  personOf(assertion: string): ActingPerson | undefined;
  invitationOf(assertion: string, demand: MailDemand): InvitedPerson | undefined;
  /** undefined: the service knows no PSP of a merchant, and people of PSPs and acquirers are refused. */
  tenants(): MerchantTenants | undefined;
  isProduction: boolean;
}

/** The guard leaves one of the two for the route. */
export interface Proven {
  person?: ActingPerson | undefined;
  invitation?: InvitedPerson | undefined;
}

/** The part of the body that names a merchant, or the owner of an account. It is not validated yet. */
interface Named {
  merchantId?: unknown;
  type?: unknown;
  ownerId?: unknown;
}

/** Checks for whom the portal calls, whatever the portal says: its service key alone proves nobody (T-27). */
export class PersonCheck {
  constructor(private readonly rules: PersonRules) {}

  /** @throws DomainError 401 without a valid assertion, 403 for a role or a tenant that may not do this */
  async proven({ assertion, body }: { assertion: unknown; body: unknown }, demand: PersonDemand): Promise<Proven> {
    const text = typeof assertion === 'string' ? assertion : '';
    if (demand in mailAssertionTypes) {
      const invitation = this.rules.invitationOf(text, demand as MailDemand);
      if (!invitation) throw unproven(assertion === undefined);
      return { invitation };
    }
    const person = this.rules.personOf(text);
    if (!person) throw unproven(assertion === undefined);
    await this.refuse(person, demand as RoleDemand, body);
    return { person };
  }

  private async refuse(person: ActingPerson, demand: RoleDemand, body: unknown): Promise<void> {
    this.refuseRole(person, demand);
    if (demand !== 'NO_TENANT') await this.refuseForeign(person, (body ?? {}) as Named);
  }

  private refuseRole({ role }: ActingPerson, demand: RoleDemand): void {
    if (demand === 'ANY' || demand === 'NO_TENANT' || may(role, demand, this.rules.isProduction)) return;
    throw new DomainError({ status: 403, reason: 'ROLE', message: `a person of role ${role} lacks the permission ${demand}` });
  }

  /** People of the platform act for all tenants. */
  private async refuseForeign(person: ActingPerson, { merchantId, type, ownerId }: Named): Promise<void> {
    if (person.tenantType === 'OPERATOR') return;
    const isOwn =
      ownerId === undefined
        ? await this.isOwnMerchant(person, merchantId)
        : type === person.tenantType && isId(ownerId, person.tenantId);
    if (isOwn) return;
    const field = ownerId === undefined ? 'merchantId' : 'ownerId';
    throw new DomainError({ status: 403, reason: 'FOREIGN_TENANT', message: `${field} is not of the tenant of the person` });
  }

  private async isOwnMerchant({ tenantType, tenantId }: ActingPerson, merchantId: unknown): Promise<boolean> {
    if (tenantType === 'MERCHANT') return isId(merchantId, tenantId);
    const found = typeof merchantId === 'number' ? await this.rules.tenants()?.tenantsOf(merchantId) : undefined;
    if (!found) return false;
    return tenantType === 'PSP' ? String(found.pspId) === tenantId : found.acquirer === tenantId;
  }
}

/** Bodies hold ids as numbers, tenants hold them as texts. */
function isId(value: unknown, tenantId: string): boolean {
  return typeof value === 'number' && String(value) === tenantId;
}

function unproven(isMissing: boolean): DomainError {
  const message = isMissing
    ? `${personHeader} is missing: the portal calls this for a person, whom auth-session asserts, or with an invitation`
    : `${personHeader} holds no assertion by auth-session for the portal that is valid now and of the kind that this route demands`;
  return new DomainError({ status: 401, reason: 'PERSON', message });
}
