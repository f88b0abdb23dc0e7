import type { AccessClaims } from '../../sessions';

export interface VerifiedToken {
  claims: AccessClaims;
  /** Key it was signed with: the token is worth nothing once that key is withdrawn. */
  kid: string;
}

const keptMax = 10_000;

/**
 * Tokens whose signature has been verified. That a text carries our signature never changes, so it is worked out once; everything that can
 * change (time, session, account, keys) is looked at on every request (T-09).
 */
export class VerifiedTokens {
  private readonly byText = new Map<string, VerifiedToken>();

  find(token: string): VerifiedToken | undefined {
    return this.byText.get(token);
  }

  add(token: string, verified: VerifiedToken): void {
    if (this.byText.size >= keptMax) this.byText.clear();
    this.byText.set(token, verified);
  }

  drop(token: string): void {
    this.byText.delete(token);
  }
}
