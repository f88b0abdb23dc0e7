import { createPublicKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { exportRsaPublicKey, sha256 } from '@paycode/crypto';
import { DomainError } from '@paycode/service-runtime';
import { guesserOf } from '@paycode/guessing';
import { AccountStore } from '../accounts';
import { ServiceKeys } from '../keys';
import { RsaWorkers } from './challenges.ports';
import { readClientChallenge } from './domain/client-challenge';
import { decoyModulusOf } from './decoy-modulus';
import { ChallengeBook } from './challenge-book';

export interface ChallengeRequest {
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

/**
 * Flow: form -> address limit -> proof of the service key -> challenge to the client's key, or to a decoy that nobody can answer
 * -> store.
 */
@Injectable()
export class IssueChallengeService {
  constructor(
    private readonly keys: ServiceKeys,
    private readonly workers: RsaWorkers,
    private readonly accounts: AccountStore,
    private readonly book: ChallengeBook,
  ) {}

  /** @throws DomainError 400 for every bad clientChallenge alike, 429 */
  async issue(request: ChallengeRequest): Promise<LoginChallenge> {
    const { identity } = request;
    const address = guesserOf(request.address);
    const ciphertext = readClientChallenge(request.clientChallenge);
    if (!ciphertext) throw badClientChallenge();
    await this.book.checkRate(address);
    const proof = await this.workers.prove((await this.keys.challenge.current()).key, ciphertext, address);
    if (proof === null) {
      await this.book.chargeBadChallenge(address);
      throw badClientChallenge();
    }
    const { encrypted, responseHash } = await this.workers.challenge(await this.keyFor(identity), address);
    const expiresAt = await this.book.enter({ challengeHash: sha256(encrypted), responseHash, identity, address });
    return {
      expires: expiresAt.toISOString(),
      base64EncodedChallenge: encrypted.toString('base64'),
      base64EncodedClientChallengeResponse: proof,
    };
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
