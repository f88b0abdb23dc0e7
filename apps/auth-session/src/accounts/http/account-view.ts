import { sha256 } from '@paycode/crypto';
import type { AccountType, Role } from '@paycode/dto';
import { type Account, type AccountMode, rolesOf } from '../domain/account';

/** An account as operators see it: no password, hash or key. */
export interface AccountView {
  username: string;
  type: AccountType;
  roles: Role[];
  mode: AccountMode;
  ownerId: number | null;
  acquirer: string | null;
  hasPassword: boolean;
  challengeRequired: boolean;
  /** Addresses and CIDR ranges that it may be used from; empty permits every address. */
  sourceAddresses: string[];
  /** Hex SHA-256 of the registered client key, to compare with the client's own; null without a key. */
  publicKeySha256: string | null;
  createdAt: string;
  passwordChangedAt: string;
}

export function viewOf(account: Account): AccountView {
  const { username, type, mode, ownerId, acquirer, challengeRequired, sourceAddresses, publicKey } = account;
  return {
    username,
    type,
    roles: rolesOf(type),
    mode,
    ownerId,
    acquirer,
    hasPassword: account.passwordHash !== null,
    challengeRequired,
    sourceAddresses,
    publicKeySha256: publicKey && sha256(Buffer.from(publicKey, 'base64')).toString('hex'),
    createdAt: account.createdAt.toISOString(),
    passwordChangedAt: account.passwordChangedAt.toISOString(),
  };
}
