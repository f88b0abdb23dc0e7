import type { AccessClaims } from '../../sessions';

export interface VerifiedToken {
  claims: AccessClaims;
  /** Key that signed the token; the token is invalid when that key is withdrawn. */
  kid: string;
}

const keptMax = 10_000;

/**
 * Tokens whose signature has been verified. The signature of a text never changes, so it is verified once. Everything that can change
 * (time, session, account, keys) is checked on every request (T-09).
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
