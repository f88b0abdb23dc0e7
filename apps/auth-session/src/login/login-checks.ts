import { Injectable } from '@nestjs/common';
import { type Account, AccountStore, CheckPasswordService, SourceRule } from '../accounts';
import type { ClientOrigin } from '../audit';
import { type ChallengeAnswer, ChallengeBook } from '../challenges';

export interface LoginRequest {
  identity: string;
  password: string;
  /** Absent for a login on identity and password alone (R-4.1-7). */
  answer?: ChallengeAnswer;
  origin: ClientOrigin;
}

export interface LoginFindings {
  account: Account | undefined;
  /** The first check that failed; undefined when all passed. */
  objection: 'password' | 'source' | 'challenge' | 'not in bearer mode' | undefined;
}

/** Checks account, password and challenge, all of them every time, so that the time does not reveal which one failed (T-06). */
@Injectable()
export class LoginChecks {
  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: CheckPasswordService,
    private readonly challenges: ChallengeBook,
    private readonly sources: SourceRule,
  ) {}

  async run({ identity, password, answer, origin }: LoginRequest): Promise<LoginFindings> {
    const [account, isAnswerRight] = await Promise.all([
      this.accounts.findByUsername(identity),
      answer && this.challenges.redeem(identity, answer),
    ]);
    const isPasswordRight = await this.passwords.isRight(password, account);
    // Without an answer the setting of the account decides.
    const isChallengeMet = isAnswerRight ?? !account?.challengeRequired;
    // Runs only for a right password, because it records the use of a right password from a wrong address.
    const isSourceRight = !isPasswordRight || !account || this.sources.permits(account, origin);
    const isBearer = account?.mode === 'BEARER';
    return { account, objection: objectionTo({ isPasswordRight, isSourceRight, isChallengeMet, isBearer }) };
  }
}

interface Checks {
  isPasswordRight: boolean;
  isSourceRight: boolean;
  isChallengeMet: boolean;
  isBearer: boolean;
}

function objectionTo({ isPasswordRight, isSourceRight, isChallengeMet, isBearer }: Checks): LoginFindings['objection'] {
  if (!isPasswordRight) return 'password';
  if (!isSourceRight) return 'source';
  if (!isChallengeMet) return 'challenge';
  // This check is last, because only the owner of the password may learn the mode.
  return isBearer ? undefined : 'not in bearer mode';
}
