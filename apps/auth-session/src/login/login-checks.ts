import { Injectable } from '@nestjs/common';
import { type Account, AccountStore, CheckPasswordService } from '../accounts';
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
  /** The first thing that stands in the way of a session. */
  objection: 'password' | 'challenge' | 'not in bearer mode' | undefined;
}

/** Account, password, challenge: all are looked at every time, so that time does not tell which one failed (T-06). */
@Injectable()
export class LoginChecks {
  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: CheckPasswordService,
    private readonly challenges: ChallengeBook,
  ) {}

  async run({ identity, password, answer }: LoginRequest): Promise<LoginFindings> {
    const [account, isAnswerRight] = await Promise.all([
      this.accounts.findByUsername(identity),
      answer && this.challenges.redeem(identity, answer),
    ]);
    const isPasswordRight = await this.passwords.isRight(password, account);
    // without an answer it is the account that decides.
    const isChallengeMet = isAnswerRight ?? !account?.challengeRequired;
    return { account, objection: objectionTo({ isPasswordRight, isChallengeMet, isBearer: account?.mode === 'BEARER' }) };
  }
}

interface Checks {
  isPasswordRight: boolean;
  isChallengeMet: boolean;
  isBearer: boolean;
}

function objectionTo({ isPasswordRight, isChallengeMet, isBearer }: Checks): LoginFindings['objection'] {
  if (!isPasswordRight) return 'password';
  if (!isChallengeMet) return 'challenge';
  // Last, because only the owner of the password may learn the mode.
  return isBearer ? undefined : 'not in bearer mode';
}
