import { Inject, Injectable } from '@nestjs/common';
import { constantTimeEqual, sha256 } from '@paycode/crypto';
import { Clock } from '@paycode/timing';
import { MinuteQuota } from '../guessing';
import { ChallengeStore } from './challenges.ports';
import { type ChallengeAnswer, readDigest } from './domain/challenge-answer';

/** An invalid client challenge counts as so many (T-01). */
const badChallengeUnits = 10;

export interface ChallengeRules {
  /** Time from challenge to login, in milliseconds (R-8-2). */
  lifetimeMs: number;
  /** Challenges one address may ask for per minute (T-02). */
  perAddressPerMinute: number;
}

export interface NewChallenge {
  challengeHash: Buffer;
  responseHash: Buffer;
  identity: string;
  address: string;
}

/** Issued challenges, in the database, so that every replica can accept the answer to a challenge of another. */
@Injectable()
export class ChallengeBook {
  constructor(
    private readonly store: ChallengeStore,
    private readonly clock: Clock,
    private readonly quota: MinuteQuota,
    @Inject('ChallengeRules') private readonly rules: ChallengeRules,
  ) {}

  /**
   * Counts before the work, whether or not the challenge is used later. @throws DomainError 429 when the address has asked too often
   */
  checkRate(address: string): Promise<void> {
    return this.quota.take(address, this.rules.perAddressPerMinute);
  }

  /** Charges an invalid client challenge, so that an attacker can try ciphertexts only a tenth as often. */
  chargeBadChallenge(address: string): Promise<void> {
    return this.quota.charge(address, this.rules.perAddressPerMinute, badChallengeUnits - 1);
  }

  /** Resolves to the instant the challenge expires. */
  async enter({ challengeHash, responseHash, identity, address }: NewChallenge): Promise<Date> {
    const createdAt = new Date(this.clock.epochMs());
    const expiresAt = new Date(createdAt.getTime() + this.rules.lifetimeMs);
    await this.store.add({ challengeHash, responseHash, identityHash: sha256(identity), address, createdAt, expiresAt });
    return expiresAt;
  }

  /** Whether the answer is right. In both cases the named challenge is used up. */
  async redeem(identity: string, answer: ChallengeAnswer): Promise<boolean> {
    const hash = readDigest(answer.base64EncodedChallengeHash);
    const challenge = hash && (await this.store.take(hash));
    if (!challenge) return false;
    const response = readDigest(answer.base64EncodedChallengeResponse) ?? Buffer.alloc(0);
    const isOwn = constantTimeEqual(challenge.identityHash, sha256(identity));
    const isRight = constantTimeEqual(challenge.responseHash, response);
    return isOwn && isRight && this.clock.epochMs() < challenge.expiresAt.getTime();
  }
}
