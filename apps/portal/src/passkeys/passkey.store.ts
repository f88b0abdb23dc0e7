import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { secretHash } from '../people/secrets';

/** As its person sees it. */
export interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

export interface NewPasskey {
  personId: string;
  /** Base64url, by the passkey. */
  credentialId: string;
  publicKey: Uint8Array;
  signCount: number;
  name: string;
  /** How a browser reaches it: `internal`, `usb`, `hybrid`. */
  transports: readonly string[];
}

export interface KnownPasskey extends NewPasskey {
  passkeyId: string;
}

/** A challenge that was answered, kept until it expires. */
export interface Answered {
  challenge: string;
  expiresAtMs: number;
}

export type Added = 'ADDED' | 'ADDED_WITH_CODES' | 'KNOWN' | 'TOO_MANY' | 'REPLAYED';

const columns = `passkey_id as "passkeyId", credential_id as "credentialId", person_id as "personId", public_key as "publicKey",
  sign_count::float8 as "signCount", name, transports`;

const passkeySql = {
  ofPerson: `
    select passkey_id as "passkeyId", name, created_at as "createdAt", used_at as "usedAt"
      from passkey where person_id = $1 order by created_at, passkey_id limit 100`,
  credentialsOf: `select credential_id as "credentialId", transports from passkey where person_id = $1 order by created_at limit 100`,
  byCredential: `select ${columns} from passkey where credential_id = $1`,
  // Every change of a person's passkeys takes this lock, so that the limit per person and has_passkey stay right.
  lockPerson: `select person_id from person where person_id = $1 for update`,
  count: `select count(*)::int as count from passkey where person_id = $1`,
  answer: `insert into passkey_challenge_used (challenge_hash, expires_at) values ($1, $2) on conflict do nothing returning 1`,
  add: `
    insert into passkey (credential_id, person_id, public_key, sign_count, name, transports)
    values ($1, $2, $3, $4, $5, $6) on conflict (credential_id) do nothing returning 1`,
  use: `update passkey set used_at = clock_timestamp(), sign_count = $2 where passkey_id = $1`,
  remove: `delete from passkey where person_id = $1 and passkey_id = $2`,
  tellPerson: `update person set has_passkey = exists (select from passkey where person_id = $1) where person_id = $1`,
  // No codes yet: the first of app and passkeys brings them.
  addCodes: `
    insert into recovery_code (code_hash, person_id)
    select unnest($2::bytea[]), $1 where not exists (select from recovery_code where person_id = $1)
    returning 1`,
  dropCodes: `
    delete from recovery_code r using person p
     where r.person_id = $1 and p.person_id = $1 and p.totp_sealed is null and not p.has_passkey`,
  purge: `delete from passkey_challenge_used where challenge_hash in (
            select challenge_hash from passkey_challenge_used where expires_at < statement_timestamp() limit 1000)`,
} as const;

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
export class PasskeyStore {
  constructor(private readonly dataSource: DataSource) {}

  async ofPerson(personId: string): Promise<Passkey[]> {
    const rows = await this.dataSource.query<PasskeyRow[]>(passkeySql.ofPerson, [personId]);
    return rows.map(row => ({ ...row, createdAt: row.createdAt.toISOString(), usedAt: row.usedAt?.toISOString() ?? null }));
  }

  credentialsOf(personId: string): Promise<Pick<KnownPasskey, 'credentialId' | 'transports'>[]> {
    return this.dataSource.query(passkeySql.credentialsOf, [personId]);
  }

  async byCredential(credentialId: string): Promise<KnownPasskey | undefined> {
    return (await this.dataSource.query<KnownPasskey[]>(passkeySql.byCredential, [credentialId]))[0];
  }

  /** In one transaction with the challenge. `recoveryHashes` become the person's when it has none (ADDED_WITH_CODES). */
  async add(passkey: NewPasskey, answered: Answered, recoveryHashes: readonly Buffer[]): Promise<Added> {
    try {
      return await this.dataSource.transaction(manager => addIn(manager, { passkey, answered, recoveryHashes }));
    } catch (error) {
      if (error instanceof Undone) return error.why;
      throw error;
    }
  }

  /** false: it was answered before. */
  answer(answered: Answered): Promise<boolean> {
    return inserts(this.dataSource.manager, passkeySql.answer, answerOf(answered));
  }

  /** Notes the use and the challenge in one transaction. false: the challenge was answered before, or the passkey is gone. */
  use({ passkeyId, signCount }: { passkeyId: string; signCount: number }, answered: Answered): Promise<boolean> {
    return this.dataSource.transaction(
      async manager =>
        (await inserts(manager, passkeySql.answer, answerOf(answered))) &&
        changesOne(manager, passkeySql.use, [passkeyId, signCount]),
    );
  }

  /** Recovery codes go with a person's last passkey, unless an app is set up. false: that person has no such passkey. */
  remove(personId: string, passkeyId: string): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      await manager.query(passkeySql.lockPerson, [personId]);
      const isRemoved = await changesOne(manager, passkeySql.remove, [personId, passkeyId]);
      await manager.query(passkeySql.tellPerson, [personId]);
      await manager.query(passkeySql.dropCodes, [personId]);
      return isRemoved;
    });
  }

  /** Drops challenges that expired. */
  async purge(): Promise<void> {
    await this.dataSource.query(passkeySql.purge);
  }
}

async function addIn(
  manager: EntityManager,
  of: { passkey: NewPasskey; answered: Answered; recoveryHashes: readonly Buffer[] },
): Promise<Added> {
  const { credentialId, personId, publicKey, signCount, name, transports } = of.passkey;
  await manager.query(passkeySql.lockPerson, [personId]);
  const [{ count }] = await manager.query<[{ count: number }]>(passkeySql.count, [personId]);
  if (count >= passkeysMax) throw new Undone('TOO_MANY');
  if (!(await inserts(manager, passkeySql.answer, answerOf(of.answered)))) throw new Undone('REPLAYED');
  const values = [credentialId, personId, Buffer.from(publicKey), signCount, name, transports];
  if (!(await inserts(manager, passkeySql.add, values))) throw new Undone('KNOWN');
  await manager.query(passkeySql.tellPerson, [personId]);
  return (await inserts(manager, passkeySql.addCodes, [personId, of.recoveryHashes])) ? 'ADDED_WITH_CODES' : 'ADDED';
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
