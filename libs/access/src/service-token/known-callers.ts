import jsonwebtoken from 'jsonwebtoken';

interface KnownCaller {
  caller: string;
  expiresAtMs: number;
}

const keptMax = 1_000;

/**
 * Tokens that have been verified, until they expire. A service sends one token for most of its minute: verifying it anew for every call
 * would cost more than many of the calls themselves.
 */
export class KnownCallers {
  private readonly byHeader = new Map<string, KnownCaller>();

  /** The caller that sent this Authorization header before; undefined once its token has expired. */
  find(header: string | undefined, nowMs: number): string | undefined {
    const known = header === undefined ? undefined : this.byHeader.get(header);
    return known && nowMs < known.expiresAtMs ? known.caller : undefined;
  }

  /** Remembers a header whose token has been verified for that caller. */
  add(header: string, caller: string): void {
    const claims = jsonwebtoken.decode(header.slice(header.indexOf(' ') + 1)) as jsonwebtoken.JwtPayload | null;
    if (claims?.exp === undefined) return;
    if (this.byHeader.size >= keptMax) this.byHeader.clear();
    this.byHeader.set(header, { caller, expiresAtMs: claims.exp * 1_000 });
  }
}
