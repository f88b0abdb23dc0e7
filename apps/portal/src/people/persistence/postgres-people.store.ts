import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, Raw } from 'typeorm';
import type { Person } from '../domain/person';
import { type NewPerson, PeopleStore, type Proofs } from '../people.ports';
import { peopleSql as sql } from './people.sql';
import { PersonEntity, personOf } from './person.entity';
import { RecoveryCodeEntity } from './recovery-code.entity';

const peopleMax = 500;

@Injectable()
export class PostgresPeopleStore extends PeopleStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async byEmail(email: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ email: Raw(column => `lower(${column}) = lower(:email)`, { email }) });
    return found ? proofsOf(found) : undefined;
  }

  override async byId(personId: string): Promise<Proofs | undefined> {
    const found = await this.people.findOneBy({ personId });
    return found ? proofsOf(found) : undefined;
  }

  override async add(person: NewPerson, passwordHash: string | null): Promise<Person | undefined> {
    const personId = randomUUID();
    const values = { ...person, personId, passwordHash, totpSealed: null, totpStep: 0 };
    const inserted = await this.people.createQueryBuilder().insert().values(values).orIgnore().returning('person_id').execute();
    return (inserted.raw as unknown[]).length === 0 ? undefined : { ...person, personId, hasTotp: false, hasPasskey: false };
  }

  override async ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<(Person & { hasPassword: boolean })[]> {
    const { tenantType, tenantId } = tenant;
    const found = await this.people.find({ where: { tenantType, tenantId }, order: { name: 'ASC' }, take: peopleMax });
    return found.map(each => ({ ...personOf(each), hasPassword: each.passwordHash !== null }));
  }

  override async setPassword(personId: string, passwordHash: string): Promise<void> {
    await this.people.update({ personId }, { passwordHash });
  }

  override async setTotp(personId: string, totp: { sealed: string; recoveryHashes: readonly Buffer[] } | null): Promise<void> {
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

  override useStep(personId: string, step: number): Promise<boolean> {
    return this.changesOne(sql.useStep, [personId, step]);
  }

  override useRecoveryCode(personId: string, codeHash: Buffer): Promise<boolean> {
    return this.changesOne(sql.useRecoveryCode, [personId, codeHash]);
  }

  override async invite(personId: string, { tokenHash, expiresAt }: { tokenHash: Buffer; expiresAt: Date }): Promise<string> {
    const rows = await this.dataSource.query<{ invitation_id: string }[]>(sql.invite, [personId, tokenHash, expiresAt]);
    return rows[0]!.invitation_id;
  }

  override async accept(tokenHash: Buffer, passwordHash: string): Promise<Person | undefined> {
    const [rows] = await this.dataSource.query<[{ person_id: string }[], number]>(sql.accept, [tokenHash, passwordHash]);
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
