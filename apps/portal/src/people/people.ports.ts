import type { Person } from './domain/person';

export type NewPerson = Omit<Person, 'personId' | 'hasTotp' | 'hasPasskey'>;

/** What a person proves itself with. */
export interface Proofs {
  person: Person;
  passwordHash: string | null;
  totpSealed: string | null;
}

export abstract class PeopleStore {
  abstract byEmail(email: string): Promise<Proofs | undefined>;
  abstract byId(personId: string): Promise<Proofs | undefined>;
  /** undefined: the address is taken. */
  abstract add(person: NewPerson, passwordHash: string | null): Promise<Person | undefined>;
  abstract ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<(Person & { hasPassword: boolean })[]>;
  abstract setPassword(personId: string, passwordHash: string): Promise<void>;
  /** With the codes that stand in for the app; null takes both away, but leaves the codes to whoever has a passkey. */
  abstract setTotp(personId: string, totp: { sealed: string; recoveryHashes: readonly Buffer[] } | null): Promise<void>;
  /** false: the step, or a later one, was used before. */
  abstract useStep(personId: string, step: number): Promise<boolean>;
  /** false: no such code, or it was used before. */
  abstract useRecoveryCode(personId: string, codeHash: Buffer): Promise<boolean>;
  abstract invite(personId: string, invitation: { tokenHash: Buffer; expiresAt: Date }): Promise<string>;
  /** Uses the invitation and sets the password in one transaction. undefined: unknown, used or expired. */
  abstract accept(tokenHash: Buffer, passwordHash: string): Promise<Person | undefined>;
}

/** Sends a person the link that lets it in. Rejects when that is not sure to happen. */
export abstract class InvitationMailer {
  abstract send(invitation: {
    invitationId: string;
    email: string;
    name: string;
    link: string;
    invitedBy: string;
    tenant: string;
    expiresAt: string;
  }): Promise<void>;
}
