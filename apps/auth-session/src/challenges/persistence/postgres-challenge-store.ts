import { Injectable } from '@nestjs/common';
import { preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { ChallengeStore, type StoredChallenge } from '../challenges.ports';

interface ChallengeRow {
  challenge_hash: Buffer;
  response_hash: Buffer;
  identity_hash: Buffer;
  address: string;
  created_at: Date;
  expires_at: Date;
}

const insertChallenge = {
  name: 'insert-login-challenge',
  text: `insert into login_challenge (challenge_hash, response_hash, identity_hash, address, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`,
};

@Injectable()
export class PostgresChallengeStore extends ChallengeStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async add(challenge: StoredChallenge): Promise<void> {
    const { challengeHash, responseHash, identityHash, address, createdAt, expiresAt } = challenge;
    const values = [challengeHash, responseHash, identityHash, address, createdAt, expiresAt];
    await preparedQuery(this.dataSource, insertChallenge, values);
  }

  async take(challengeHash: Buffer): Promise<StoredChallenge | undefined> {
    // Of two concurrent deletes the second waits for the first and then finds nothing.
    const [rows] = await this.dataSource.query<[ChallengeRow[], number]>(
      'delete from login_challenge where challenge_hash = $1 returning *',
      [challengeHash],
    );
    const row = rows[0];
    return (
      row && {
        challengeHash: row.challenge_hash,
        responseHash: row.response_hash,
        identityHash: row.identity_hash,
        address: row.address,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }
    );
  }
}
