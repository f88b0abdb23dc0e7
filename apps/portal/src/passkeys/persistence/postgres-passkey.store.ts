import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { secretHash } from '../../people/secret-hash';
import { type Added, type Answered, type KnownPasskey, type NewPasskey, type Passkey, PasskeyStore } from '../passkeys.ports';
import { passkeySql as sql } from './passkey.sql';

/** More than a person has devices. */
const passkeysMax = 10;

type PasskeyRow = Omit<Passkey, 'createdAt' | 'usedAt'> & { createdAt: Date; usedAt: Date | null };

/** Undoes the transaction and says why. */
class Undone extends Error {
  constructor(readonly why: Added) {
    super(why);
  }
}

@Injectable()
export class PostgresPasskeyStore extends PasskeyStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async ofPerson(personId: string): Promise<Passkey[]> {
    const rows = await this.dataSource.query<PasskeyRow[]>(sql.ofPerson, [personId]);
    return rows.map(row => ({ ...row, createdAt: row.createdAt.toISOString(), usedAt: row.usedAt?.toISOString() ?? null }));
  }

  override credentialsOf(personId: string): Promise<Pick<KnownPasskey, 'credentialId' | 'transports'>[]> {
    return this.dataSource.query(sql.credentialsOf, [personId]);
  }

  override async byCredential(credentialId: string): Promise<KnownPasskey | undefined> {
    return (await this.dataSource.query<KnownPasskey[]>(sql.byCredential, [credentialId]))[0];
  }

  override async add(passkey: NewPasskey, answered: Answered, recoveryHashes: readonly Buffer[]): Promise<Added> {
    try {
      return await this.dataSource.transaction(manager => addIn(manager, { passkey, answered, recoveryHashes }));
    } catch (error) {
      if (error instanceof Undone) return error.why;
      throw error;
    }
  }

  override use({ passkeyId, signCount }: { passkeyId: string; signCount: number }, answered: Answered): Promise<boolean> {
    return this.dataSource.transaction(
      async manager =>
        (await inserts(manager, sql.answer, answerOf(answered))) && changesOne(manager, sql.use, [passkeyId, signCount]),
    );
  }

  override remove(personId: string, passkeyId: string): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      await manager.query(sql.lockPerson, [personId]);
      const isRemoved = await changesOne(manager, sql.remove, [personId, passkeyId]);
      await manager.query(sql.tellPerson, [personId]);
      await manager.query(sql.dropCodes, [personId]);
      return isRemoved;
    });
  }

  override async purge(): Promise<void> {
    await this.dataSource.query(sql.purge);
  }
}

async function addIn(
  manager: EntityManager,
  of: { passkey: NewPasskey; answered: Answered; recoveryHashes: readonly Buffer[] },
): Promise<Added> {
  const { credentialId, personId, publicKey, signCount, name, transports } = of.passkey;
  await manager.query(sql.lockPerson, [personId]);
  const [{ count }] = await manager.query<[{ count: number }]>(sql.count, [personId]);
  if (count >= passkeysMax) throw new Undone('TOO_MANY');
  if (!(await inserts(manager, sql.answer, answerOf(of.answered)))) throw new Undone('REPLAYED');
  const values = [credentialId, personId, Buffer.from(publicKey), signCount, name, transports];
  if (!(await inserts(manager, sql.add, values))) throw new Undone('KNOWN');
  await manager.query(sql.tellPerson, [personId]);
  return (await inserts(manager, sql.addCodes, [personId, of.recoveryHashes])) ? 'ADDED_WITH_CODES' : 'ADDED';
}

function answerOf({ challenge, expiresAtMs }: Answered): unknown[] {
  return [secretHash(challenge), new Date(expiresAtMs)];
}

/** Whether the row is new. */
async function inserts(manager: EntityManager, text: string, values: unknown[]): Promise<boolean> {
  return (await manager.query<unknown[]>(text, values)).length > 0;
}

async function changesOne(manager: EntityManager, text: string, values: unknown[]): Promise<boolean> {
  const [, changed] = await manager.query<[unknown[], number]>(text, values);
  return changed === 1;
}
