import { Inject, Injectable } from '@nestjs/common';
import { constantTimeEqual, sha256 } from '@paycode/crypto';
import { Clock } from '@paycode/timing';
import { MinuteQuota } from '../guessing';
import { ChallengeStore } from './challenges.ports';
import { type ChallengeAnswer, readDigest } from './domain/challenge-answer';

/** What a client challenge that does not hold costs in place of one (T-01). */
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

/** The challenges that are out, in the database: whichever replica gave one, any replica takes its answer. */
@Injectable()
export class ChallengeBook {
  constructor(
    private readonly store: ChallengeStore,
    private readonly clock: Clock,
    private readonly quota: MinuteQuota,
    @Inject('ChallengeRules') private readonly rules: ChallengeRules,
  ) {}

  /** Counted before the work, whatever becomes of the challenge later. @throws DomainError 429 when the address has asked too often */
  checkRate(address: string): Promise<void> {
    return this.quota.take(address, this.rules.perAddressPerMinute);
  }

  /** The client challenge did not hold: whoever tries ciphertexts may do so a tenth as often. */
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

  /** Whether the answer is right. Either way the challenge it names is used up. */
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
