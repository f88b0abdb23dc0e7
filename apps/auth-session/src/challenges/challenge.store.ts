import { Injectable } from '@nestjs/common';
import { preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';

const challengeSql = {
  add: {
    name: 'insert-login-challenge',
    text: `
      insert into login_challenge (challenge_hash, response_hash, identity_hash, address, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6)`,
  },

  // When two deletes run at once, the second waits for the first and then finds no row.
  take: `
    delete from login_challenge where challenge_hash = $1
    returning response_hash as "responseHash", identity_hash as "identityHash", expires_at as "expiresAt"`,
} as const;

interface StoredChallenge {
  /** SHA-256 of the encrypted challenge. */
  challengeHash: Buffer;
  /** SHA-256 of the plaintext. */
  responseHash: Buffer;
  /** SHA-256 of the identity as it was sent. */
  identityHash: Buffer;
  /** For an operator who investigates a flood; no decision uses it. */
  address: string;
  createdAt: Date;
  expiresAt: Date;
}

/** The part of a stored challenge that an answer is compared with. */
type TakenChallenge = Pick<StoredChallenge, 'responseHash' | 'identityHash' | 'expiresAt'>;

/** Challenges shared by all replicas. */
@Injectable()
export class ChallengeStore {
  constructor(private readonly dataSource: DataSource) {}

  async add(challenge: StoredChallenge): Promise<void> {
    const { challengeHash, responseHash, identityHash, address, createdAt, expiresAt } = challenge;
    const values = [challengeHash, responseHash, identityHash, address, createdAt, expiresAt];
    await preparedQuery(this.dataSource, challengeSql.add, values);
  }

  /** Removes and returns the challenge with that hash; only one caller ever gets it. */
  async take(challengeHash: Buffer): Promise<TakenChallenge | undefined> {
    const [rows] = await this.dataSource.query<[TakenChallenge[], number]>(challengeSql.take, [challengeHash]);
    return rows[0];
  }
}
