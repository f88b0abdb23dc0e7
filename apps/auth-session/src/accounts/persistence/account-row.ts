import type { AccountType } from '@paycode/dto';
import type { Account, AccountMode } from '../domain/account';

/** Columns of `account` for raw queries, under the alias `a`. */
export const accountColumns = `a.id, a.username, a.type, a.owner_id, a.acquirer, a.mode, a.password_hash, a.credential_version,
  a.public_key, a.challenge_required, a.created_at, a.password_changed_at`;

export interface AccountRow {
  id: string;
  username: string;
  type: AccountType;
  owner_id: string | null;
  acquirer: string | null;
  mode: AccountMode;
  password_hash: string | null;
  credential_version: number;
  public_key: string | null;
  challenge_required: boolean;
  created_at: Date;
  password_changed_at: Date;
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    username: row.username,
    type: row.type,
    ownerId: row.owner_id === null ? null : Number(row.owner_id),
    acquirer: row.acquirer,
    mode: row.mode,
    passwordHash: row.password_hash,
    credentialVersion: row.credential_version,
    publicKey: row.public_key,
    challengeRequired: row.challenge_required,
    createdAt: row.created_at,
    passwordChangedAt: row.password_changed_at,
  };
}
