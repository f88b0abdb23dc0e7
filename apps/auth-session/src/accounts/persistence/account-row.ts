import type { AccountType } from '@paycode/dto';
import type { Account, AccountMode, Principal } from '../domain/account';

export interface PrincipalRow {
  id: string;
  username: string;
  type: AccountType;
  owner_id: string | null;
  acquirer: string | null;
  mode: AccountMode;
  credential_version: number;
  source_addresses: string[];
}

export interface AccountRow extends PrincipalRow {
  password_hash: string | null;
  public_key: string | null;
  challenge_required: boolean;
  created_at: Date;
  password_changed_at: Date;
}

export function principalOf(row: PrincipalRow): Principal {
  return {
    id: row.id,
    username: row.username,
    type: row.type,
    ownerId: row.owner_id === null ? null : Number(row.owner_id),
    acquirer: row.acquirer,
    mode: row.mode,
    credentialVersion: row.credential_version,
    sourceAddresses: row.source_addresses,
  };
}

export function accountOf(row: AccountRow): Account {
  return {
    ...principalOf(row),
    passwordHash: row.password_hash,
    publicKey: row.public_key,
    challengeRequired: row.challenge_required,
    createdAt: row.created_at,
    passwordChangedAt: row.password_changed_at,
  };
}
