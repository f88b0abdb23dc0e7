import type { PortalFourEyesNotice } from '@paycode/dto';
import type { Person, Role } from '../people/domain/person';
import type { Asked, Kind, Refusal, State } from './domain/request';

export type Tenant = Pick<Person, 'tenantType' | 'tenantId'>;

export interface StoredRequest extends Asked {
  requestId: string;
  kind: Kind;
  askedByName: string;
  askedAt: Date;
  endedByName: string | null;
  endedAt: Date | null;
  /** What was asked about, where kind and tenant do not say it. */
  about: string | null;
}

/** A request with what decides about it, read together. */
export interface KnownRequest {
  request: StoredRequest;
  asker: { role: Role; isOfTenant: boolean };
  /** By the database's clock, as every instant here. */
  now: Date;
}

export interface Wanted {
  kind: Kind;
  asker: Person;
  fingerprint: string;
  about: string | null;
  openForS: number;
}

/** Whoever has the role, and a password to confirm with. */
export interface Owner {
  personId: string;
  name: string;
  email: string;
  joinedAt: Date;
}

export type Verdict = { state: State; refusal: Refusal | null };

/** One request for each kind and tenant: the next takes the place of one that has ended. */
export abstract class FourEyesStore {
  abstract owners(tenant: Tenant, roles: readonly Role[]): Promise<Owner[]>;
  abstract latest(kind: Kind, tenant: Tenant): Promise<KnownRequest | undefined>;
  /** undefined: `isOpen` says that the one before is, or another one came first. */
  abstract ask(wanted: Wanted, isOpen: (found: KnownRequest) => boolean): Promise<StoredRequest | undefined>;
  /** One at a time for each request; what it becomes is kept. undefined: this tenant has no such request. */
  abstract end(
    requestId: string,
    by: Person,
    decide: (found: KnownRequest, by: { personId: string; joinedAt: Date }) => Verdict,
  ): Promise<{ request: StoredRequest; verdict: Verdict } | undefined>;
}

/** Mails those who can confirm. Rejects when that is not sure to happen. */
export abstract class FourEyesMailer {
  abstract ask(notice: PortalFourEyesNotice): Promise<void>;
}
