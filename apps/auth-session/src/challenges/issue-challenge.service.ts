import { Injectable } from '@nestjs/common';
import { exportRsaPublicKey, sha256 } from '@paycode/crypto';
import { DomainError } from '@paycode/service-runtime';
import { AccountStore } from '../accounts';
import { guesserOf } from '../guessing';
import { ServiceKeys } from '../keys';
import { RsaWorkers } from './challenges.ports';
import { readClientChallenge } from './domain/client-challenge';
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

/** form -> address limit -> prove that we hold our key -> challenge to the client's key, or a decoy nobody can answer (A-37) -> store. */
@Injectable()
export class IssueChallengeService {
  private decoy: string | undefined;

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

  /** The client's key, or one nobody holds for an identity that is unknown, in Basic mode or without a key; at the same cost. */
  private async keyFor(identity: string): Promise<string> {
    const [account, decoy] = await Promise.all([this.accounts.findByUsername(identity), this.decoyText()]);
    const registered = account?.mode === 'BEARER' ? account.publicKey : null;
    return registered ?? decoy;
  }

  private async decoyText(): Promise<string> {
    return (this.decoy ??= exportRsaPublicKey((await this.keys.decoy.current()).key));
  }
}

function badClientChallenge(): DomainError {
  return new DomainError({ status: 400, code: 'BAD_CLIENT_CHALLENGE', message: `Invalid 'clientChallenge'` });
}
