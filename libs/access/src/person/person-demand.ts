import { may, type Permission } from '@paycode/dto/people';
import { DomainError } from '@paycode/service-runtime';
import { type ActingPerson, personHeader } from './person-assertion';

/** Required role of the person for whom the portal calls: one with this permission, or any; `NO_TENANT`: the call names no tenant. */
export type PersonDemand = Permission | 'ANY' | 'NO_TENANT';

/** PSP and acquirer of a merchant, as far as the service that is called knows them. undefined: it knows no such merchant. */
export abstract class MerchantTenants {
  abstract tenantsOf(merchantId: number): Promise<{ pspId: number | null; acquirer: string | null } | undefined>;
}

export interface PersonRules {
  /** undefined: the assertion is not valid now. */
  personOf(assertion: string): ActingPerson | undefined;
  /** undefined: the service knows no PSP of a merchant, and people of PSPs and acquirers are refused. */
  tenants(): MerchantTenants | undefined;
  isProduction: boolean;
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
  async personOf({ assertion, body }: { assertion: unknown; body: unknown }, demand: PersonDemand): Promise<ActingPerson> {
    const person = typeof assertion === 'string' ? this.rules.personOf(assertion) : undefined;
    if (!person) throw unproven(assertion === undefined);
    this.refuseRole(person, demand);
    if (demand !== 'NO_TENANT') await this.refuseForeign(person, (body ?? {}) as Named);
    return person;
  }

  private refuseRole({ role }: ActingPerson, demand: PersonDemand): void {
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
    ? `${personHeader} is missing: the portal calls this for a person, whom auth-session asserts`
    : `${personHeader} holds no assertion by auth-session for the portal that is valid now`;
  return new DomainError({ status: 401, reason: 'PERSON', message });
}
