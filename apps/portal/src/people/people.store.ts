import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, Raw } from 'typeorm';
import { PersonEntity, personOf, RecoveryCodeEntity } from '../entities';
import type { Colleague, Person } from './domain/person';

export type NewPerson = Omit<Person, 'personId' | 'hasTotp' | 'hasPasskey'>;

/** Credentials of a person. */
export interface Proofs {
  person: Person;
  passwordHash: string | null;
  totpSealed: string | null;
}

const peopleSql = {
  // The step only grows: the row lock lets one of two requests with the same code pass.
  useStep: 'update person set totp_step = $2 where person_id = $1 and totp_step < $2',
  useRecoveryCode: `update recovery_code set used_at = clock_timestamp() where code_hash = $2 and person_id = $1 and used_at is null`,
  invite: 'insert into invitation (token_hash, person_id, expires_at) values ($2, $1, $3) returning invitation_id',
  invited:
    'select exists (select from invitation where token_hash = $1 and used_at is null and expires_at > clock_timestamp()) as invited',
  accept: `
    with used as (
      update invitation set used_at = clock_timestamp()
       where token_hash = $1 and used_at is null and expires_at > clock_timestamp() returning person_id)
    update person p set password_hash = $2 from used where p.person_id = used.person_id returning p.person_id`,
} as const;

const peopleMax = 500;

@Injectable()
export class PeopleStore {
  constructor(private readonly dataSource: DataSource) {}

  async byEmail(email: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ email: Raw(column => `lower(${column}) = lower(:email)`, { email }) });
    return found ? proofsOf(found) : undefined;
  }

  async byId(personId: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ personId });
    return found ? proofsOf(found) : undefined;
  }

  /** undefined: the address is taken. */
  async add(person: NewPerson, passwordHash: string | null): Promise<Person | undefined> {
    const personId = randomUUID();
    const values = { ...person, personId, passwordHash, totpSealed: null, totpStep: 0 };
    const inserted = await this.people.createQueryBuilder().insert().values(values).orIgnore().returning('person_id').execute();
    return (inserted.raw as unknown[]).length === 0 ? undefined : { ...person, personId, hasTotp: false, hasPasskey: false };
  }

  async ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<Colleague[]> {
    const { tenantType, tenantId } = tenant;
    const found = await this.people.find({ where: { tenantType, tenantId }, order: { name: 'ASC' }, take: peopleMax });
    return found.map(each => ({ ...personOf(each), hasPassword: each.passwordHash !== null }));
  }

  async setPassword(personId: string, passwordHash: string): Promise<void> {
    await this.people.update({ personId }, { passwordHash });
  }

  /** With the codes that stand in for the app; null takes both away, but leaves the codes to whoever has a passkey. */
  async setTotp(personId: string, totp: { sealed: string; recoveryHashes: readonly Buffer[] } | null): Promise<void> {
    await this.dataSource.transaction(async manager => {
      const { hasPasskey } = await manager.findOneOrFail(PersonEntity, {
        where: { personId },
        lock: { mode: 'pessimistic_write' },
      });
      if (totp !== null || !hasPasskey) await manager.delete(RecoveryCodeEntity, { personId });
      await manager.update(PersonEntity, { personId }, { totpSealed: totp?.sealed ?? null, totpStep: 0 });
      const codes = (totp?.recoveryHashes ?? []).map(codeHash => ({ codeHash, personId, usedAt: null }));
      if (codes.length > 0) await manager.insert(RecoveryCodeEntity, codes);
    });
  }

  /** false: the step, or a later one, was used before. */
  useStep(personId: string, step: number): Promise<boolean> {
    return this.changesOne(peopleSql.useStep, [personId, step]);
  }

  /** false: no such code, or it was used before. */
  useRecoveryCode(personId: string, codeHash: Buffer): Promise<boolean> {
    return this.changesOne(peopleSql.useRecoveryCode, [personId, codeHash]);
  }

  async invite(personId: string, { tokenHash, expiresAt }: { tokenHash: Buffer; expiresAt: Date }): Promise<string> {
    const rows = await this.dataSource.query<{ invitation_id: string }[]>(peopleSql.invite, [personId, tokenHash, expiresAt]);
    return rows[0]!.invitation_id;
  }

  /** Whether an invitation with this hash waits to be accepted. */
  async isInvited(tokenHash: Buffer): Promise<boolean> {
    const [row] = await this.dataSource.query<{ invited: boolean }[]>(peopleSql.invited, [tokenHash]);
    return row!.invited;
  }

  /** Uses the invitation and sets the password in one transaction. undefined: unknown, used or expired. */
  async accept(tokenHash: Buffer, passwordHash: string): Promise<Person | undefined> {
    const [rows] = await this.dataSource.query<[{ person_id: string }[], number]>(peopleSql.accept, [tokenHash, passwordHash]);
    return rows[0] && (await this.byId(rows[0].person_id))?.person;
  }

  private get people() {
    return this.dataSource.getRepository(PersonEntity);
  }

  private async changesOne(text: string, values: unknown[]): Promise<boolean> {
    const [, changed] = await this.dataSource.query<[unknown[], number]>(text, values);
    return changed === 1;
  }
}

function proofsOf(found: PersonEntity): Proofs {
  return { person: personOf(found), passwordHash: found.passwordHash, totpSealed: found.totpSealed };
}
