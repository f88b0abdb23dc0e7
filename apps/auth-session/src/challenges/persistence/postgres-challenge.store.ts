import { Injectable } from '@nestjs/common';
import { preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { ChallengeStore, type StoredChallenge } from '../challenges.ports';
import { challengeSql as sql } from './challenge.sql';

interface ChallengeRow {
  challenge_hash: Buffer;
  response_hash: Buffer;
  identity_hash: Buffer;
  address: string;
  created_at: Date;
  expires_at: Date;
}

@Injectable()
export class PostgresChallengeStore extends ChallengeStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async add(challenge: StoredChallenge): Promise<void> {
    const { challengeHash, responseHash, identityHash, address, createdAt, expiresAt } = challenge;
    const values = [challengeHash, responseHash, identityHash, address, createdAt, expiresAt];
    await preparedQuery(this.dataSource, sql.add, values);
  }

  async take(challengeHash: Buffer): Promise<StoredChallenge | undefined> {
    const [rows] = await this.dataSource.query<[ChallengeRow[], number]>(sql.take, [challengeHash]);
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
