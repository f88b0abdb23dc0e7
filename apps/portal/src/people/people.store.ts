import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ReadsIn } from '@paycode/dto/people';
import { DomainError } from '@paycode/service-runtime';
import { DataSource, IsNull, Not, QueryFailedError, Raw } from 'typeorm';
import { PersonEntity, personOf, RecoveryCodeEntity } from '../entities';
import { codesKey, codesPerDay } from '../sign-in/sign-in-limiter';
import type { Colleague, Person, Role } from './domain/person';

export type NewPerson = Omit<Person, 'personId' | 'hasTotp' | 'hasPasskey' | 'hasPassword' | keyof ReadsIn>;

/** Credentials of a person. */
export interface Proofs {
  person: Person;
  passwordHash: string | null;
  /** false: invited, and not here yet. */
  isIn: boolean;
  totpSealed: string | null;
}

/** An authenticator app. `step`: of the code that proved it, which is good no more; `recoveryHashes`: of the codes that stand in for it. */
interface NewTotp {
  sealed: string;
  step: number;
  recoveryHashes: readonly Buffer[];
}

const peopleSql = {
  // The step only grows: the row lock lets one of two requests with the same code pass.
  useStep: 'update person set totp_step = $2 where person_id = $1 and totp_step < $2',
  useRecoveryCode: `update recovery_code set used_at = clock_timestamp() where code_hash = $2 and person_id = $1 and used_at is null`,
  refusedCodes: 'select key from guess_count where key = any($1::bytea[]) and failures >= $2 and forget_at > clock_timestamp()',
  forgetGuesses: 'delete from guess_count where key = $1',
  invite: 'insert into invitation (token_hash, person_id, expires_at) values ($2, $1, $3)',
  invited:
    'select exists (select from invitation where token_hash = $1 and used_at is null and expires_at > clock_timestamp()) as invited',
  lockInvited: `select p.person_id from person p join invitation i using (person_id) where i.token_hash = $1 for update of p`,
  lockPerson: 'select from person where person_id = $1 for update',
  endInvitations: 'update invitation set used_at = clock_timestamp() where person_id = $1 and used_at is null',
  accept: `
    with used as (
      update invitation set used_at = clock_timestamp()
       where token_hash = $1 and used_at is null and expires_at > clock_timestamp() returning person_id)
    update person p set password_hash = $2, accepted_at = clock_timestamp() from used join person before using (person_id)
     where p.person_id = used.person_id returning p.person_id, before.password_hash is not null as had_password`,
  // In order, so that two who remove each other wait instead of leaving nobody.
  lockManagers: `
    select person_id from person
     where tenant_type = $1 and tenant_id = $2 and role in ('OWNER', 'ADMINISTRATOR') and accepted_at is not null
     order by person_id for update`,
  setRole: 'update person set role = $2, role_changed_at = clock_timestamp() where person_id = $1 and role <> $2',
  remove: 'delete from person where person_id = $1',
} as const;

interface AcceptedRow {
  person_id: string;
  had_password: boolean;
}

const peopleMax = 500;

@Injectable()
export class PeopleStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Whose password it is that is given with this address. */
  async byEmail(email: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ email: sameEmail(email), passwordHash: Not(IsNull()) });
    return found ? proofsOf(found) : undefined;
  }

  /** The person of this address in a tenant; other tenants may have invited the same address. */
  async ofAddress({
    email,
    tenantType,
    tenantId,
  }: Pick<Person, 'email' | 'tenantType' | 'tenantId'>): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ email: sameEmail(email), tenantType, tenantId });
    return found ? proofsOf(found) : undefined;
  }

  async byId(personId: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ personId });
    return found ? proofsOf(found) : undefined;
  }

  /** undefined: the tenant has a person of this address, or with a password somebody else has it. */
  async add(person: NewPerson, passwordHash: string | null): Promise<Person | undefined> {
    const personId = randomUUID();
    const acceptedAt = passwordHash === null ? null : () => 'clock_timestamp()';
    const values = { ...person, personId, passwordHash, totpSealed: null, totpStep: 0, acceptedAt };
    const inserted = await this.people.createQueryBuilder().insert().values(values).orIgnore().returning('person_id').execute();
    const has = { hasTotp: false, hasPasskey: false, hasPassword: passwordHash !== null, language: null, timeZone: null };
    return (inserted.raw as unknown[]).length === 0 ? undefined : { ...person, personId, ...has };
  }

  async ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<Colleague[]> {
    const { tenantType, tenantId } = tenant;
    const found = await this.people.find({ where: { tenantType, tenantId }, order: { name: 'ASC' }, take: peopleMax });
    const keys = found.map(({ personId }) => codesKey(personId));
    const counts = await this.dataSource.query<{ key: Buffer }[]>(peopleSql.refusedCodes, [keys, codesPerDay]);
    const refused = new Set(counts.map(({ key }) => key.toString('hex')));
    return found.map((each, index) => ({
      ...personOf(each),
      isIn: each.acceptedAt !== null,
      areCodesRefused: refused.has(keys[index]!.toString('hex')),
    }));
  }

  /** Somebody who was invited, and gets a password in another way than by its link, is in from now on. */
  async setPassword(personId: string, passwordHash: string): Promise<void> {
    const acceptedAt = () => 'coalesce(accepted_at, clock_timestamp())';
    await this.people.update({ personId }, { passwordHash, acceptedAt }).catch(refuseElsewhere);
  }

  /**
   * null takes app and codes away, but leaves the codes to whoever has a passkey. A step is used once, also by an app that was removed and set
   * up again. false: the new app's code is of a step that was used before; nothing has changed.
   */
  setTotp(personId: string, totp: NewTotp | null): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      const lock = { mode: 'pessimistic_write' } as const;
      const { hasPasskey, totpStep } = await manager.findOneOrFail(PersonEntity, { where: { personId }, lock });
      if (totp === null) {
        if (!hasPasskey) await manager.delete(RecoveryCodeEntity, { personId });
        await manager.update(PersonEntity, { personId }, { totpSealed: null });
        return true;
      }
      if (totp.step <= Number(totpStep)) return false;
      await manager.delete(RecoveryCodeEntity, { personId });
      await manager.update(PersonEntity, { personId }, { totpSealed: totp.sealed, totpStep: totp.step });
      const codes = totp.recoveryHashes.map(codeHash => ({ codeHash, personId, usedAt: null }));
      await manager.insert(RecoveryCodeEntity, codes);
      return true;
    });
  }

  /** Drops the count of wrong tries under a key. */
  async forgetGuesses(key: Buffer): Promise<void> {
    await this.dataSource.query(peopleSql.forgetGuesses, [key]);
  }

  /** false: the step, or a later one, was used before. */
  useStep(personId: string, step: number): Promise<boolean> {
    return this.changesOne(peopleSql.useStep, [personId, step]);
  }

  /** false: no such code, or it was used before. */
  useRecoveryCode(personId: string, codeHash: Buffer): Promise<boolean> {
    return this.changesOne(peopleSql.useRecoveryCode, [personId, codeHash]);
  }

  async setReading(personId: string, { language, timeZone }: ReadsIn): Promise<void> {
    await this.people.update({ personId }, { language, timeZone });
  }

  /** In place of the person's earlier invitations. */
  async invite(personId: string, { tokenHash, expiresAt }: { tokenHash: Buffer; expiresAt: Date }): Promise<void> {
    await this.dataSource.transaction(async manager => {
      await manager.query(peopleSql.lockPerson, [personId]);
      await manager.query(peopleSql.endInvitations, [personId]);
      await manager.query(peopleSql.invite, [personId, tokenHash, expiresAt]);
    });
  }

  /** Whether an invitation with this hash waits to be accepted. */
  async isInvited(tokenHash: Buffer): Promise<boolean> {
    const [row] = await this.dataSource.query<{ invited: boolean }[]>(peopleSql.invited, [tokenHash]);
    return row!.invited;
  }

  /**
   * Uses the invitation, ends the person's others and sets the password in one transaction. undefined: unknown, used or expired.
   * @throws DomainError 409 when somebody of another tenant has the address
   */
  async accept(tokenHash: Buffer, passwordHash: string): Promise<{ person: Person; hadPassword: boolean } | undefined> {
    const accepted = await this.dataSource
      .transaction(async manager => {
        await manager.query(peopleSql.lockInvited, [tokenHash]);
        const [[row]] = await manager.query<[AcceptedRow[], number]>(peopleSql.accept, [tokenHash, passwordHash]);
        if (row) await manager.query(peopleSql.endInvitations, [row.person_id]);
        return row;
      })
      .catch(refuseElsewhere);
    const person = accepted && (await this.byId(accepted.person_id))?.person;
    return person && { person, hadPassword: accepted.had_password };
  }

  /** false: it would leave the tenant without an owner or administrator. A new role counts at once, in sessions that are open too. */
  setRole(person: Person, role: Role): Promise<boolean> {
    return this.unlessLastManager(person, peopleSql.setRole, [person.personId, role]);
  }

  /** With sessions, passkeys, codes and invitations. false: as `setRole`. */
  remove(person: Person): Promise<boolean> {
    return this.unlessLastManager(person, peopleSql.remove, [person.personId]);
  }

  private unlessLastManager({ personId, tenantType, tenantId }: Person, text: string, values: unknown[]): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      const managers = await manager.query<{ person_id: string }[]>(peopleSql.lockManagers, [tenantType, tenantId]);
      if (managers.length === 1 && managers[0]!.person_id === personId) return false;
      await manager.query(text, values);
      return true;
    });
  }

  private get people() {
    return this.dataSource.getRepository(PersonEntity);
  }

  private async changesOne(text: string, values: unknown[]): Promise<boolean> {
    const [, changed] = await this.dataSource.query<[unknown[], number]>(text, values);
    return changed === 1;
  }
}

function sameEmail(email: string) {
  return Raw(column => `lower(${column}) = lower(:email)`, { email });
}

const uniqueViolation = '23505';

/** Told to the reader of the mailbox alone: whoever invites learns nothing of other tenants. @throws DomainError 409 */
function refuseElsewhere(cause: unknown): never {
  if (!(cause instanceof QueryFailedError && (cause.driverError as { code?: string }).code === uniqueViolation)) throw cause;
  const message = 'your e-mail address signs in to another account here already: ask for an invitation to another address';
  throw new DomainError({ status: 409, reason: 'EMAIL_ELSEWHERE', message, cause });
}

function proofsOf(found: PersonEntity): Proofs {
  return {
    person: personOf(found),
    passwordHash: found.passwordHash,
    isIn: found.acceptedAt !== null,
    totpSealed: found.totpSealed,
  };
}
