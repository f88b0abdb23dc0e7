import { createPublicKey } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { constantTimeEqual, exportRsaPublicKey, sha256 } from '@paycode/crypto';
import { guesserOf } from '@paycode/access/guessing';
import { DomainError } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { AccountStore } from '../accounts/account.store';
import { MinuteQuota } from '../guessing/guess-limiter';
import { ServiceKeys } from '../keys/service-keys';
import { ChallengeStore } from './challenge.store';
import { decoyModulusOf } from './decoy-modulus';
import { type ChallengeAnswer, readClientChallenge, readDigest } from './domain/challenge-answer';
import { RsaWorkerPool } from './rsa-worker-pool';

/** An invalid client challenge counts as so many (T-01). */
const badChallengeUnits = 10;

export const CHALLENGE_RULES = Symbol('CHALLENGE_RULES');

export interface ChallengeRules {
  /** Time from challenge to login, in milliseconds (R-8-2). */
  lifetimeMs: number;
  /** Challenges one address may ask for per minute (T-02). */
  perAddressPerMinute: number;
}

interface ChallengeRequest {
  identity: string;
  clientChallenge: string;
  address: string;
}

/** Login challenge of spec 2.3. */
export interface LoginChallenge {
  expires: string;
  base64EncodedChallenge: string;
  base64EncodedClientChallengeResponse: string;
}

/** Login challenges. They are in the database, so that every replica can accept the answer to a challenge of another. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly keys: ServiceKeys,
    private readonly workers: RsaWorkerPool,
    private readonly accounts: AccountStore,
    private readonly store: ChallengeStore,
    private readonly quota: MinuteQuota,
    private readonly clock: Clock,
    @Inject(CHALLENGE_RULES) private readonly rules: ChallengeRules,
  ) {}

  /**
   * Flow: form -> address limit -> proof of the service key -> challenge to the client's key, or to a decoy that nobody can answer
   * -> store. @throws DomainError 400 for every bad clientChallenge alike (A-38), 429
   */
  async issue(request: ChallengeRequest): Promise<LoginChallenge> {
    const { identity } = request;
    const address = guesserOf(request.address);
    const ciphertext = readClientChallenge(request.clientChallenge);
    if (!ciphertext) throw badClientChallenge();
    // The address pays before the work, whether or not it uses the challenge later.
    await this.quota.take(address, this.rules.perAddressPerMinute);
    const proof = await this.workers.prove((await this.keys.challenge.current()).key, ciphertext, address);
    if (proof === null) {
      // An invalid client challenge costs more, so that an attacker can try ciphertexts only a tenth as often.
      await this.quota.charge(address, this.rules.perAddressPerMinute, badChallengeUnits - 1);
      throw badClientChallenge();
    }
    const { encrypted, responseHash } = await this.workers.challenge(await this.keyFor(identity), address);
    const createdAt = new Date(this.clock.epochMs());
    const expiresAt = new Date(createdAt.getTime() + this.rules.lifetimeMs);
    const challengeHash = sha256(encrypted);
    await this.store.add({ challengeHash, responseHash, identityHash: sha256(identity), address, createdAt, expiresAt });
    return {
      expires: expiresAt.toISOString(),
      base64EncodedChallenge: encrypted.toString('base64'),
      base64EncodedClientChallengeResponse: proof,
    };
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

  /**
   * The client's key, or a decoy for an identity that is unknown, in Basic mode or without a key. It prepares both every time, so that time
   * reveals nothing (T-06).
   */
  private async keyFor(identity: string): Promise<string> {
    const [account, secret] = await Promise.all([this.accounts.findByUsername(identity), this.keys.decoySecret.current()]);
    const decoy = publicKeyOf(decoyModulusOf(secret.key, identity));
    const registered = account?.mode === 'BEARER' ? account.publicKey : null;
    return registered ?? decoy;
  }
}

function publicKeyOf(modulus: Buffer): string {
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return exportRsaPublicKey(createPublicKey({ key, format: 'jwk' }));
}

function badClientChallenge(): DomainError {
  return new DomainError({ status: 400, reason: 'BAD_CLIENT_CHALLENGE', message: `Invalid 'clientChallenge'` });
}
