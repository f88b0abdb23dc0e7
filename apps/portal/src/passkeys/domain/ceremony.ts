/** `PROVE`: a passkey stands in for the own password; `PROVED`: it has answered, and the browser holds the proof. */
export type Purpose = 'ADD' | 'SIGN_IN' | 'PROVE' | 'PROVED';

/** A challenge that the browser must sign. The browser holds it sealed, so a request for a challenge stores nothing here. */
export interface Ceremony {
  purpose: Purpose;
  /** Whose passkey must answer; null: anybody's. */
  personId: string | null;
  /** Base64url of what is signed. */
  challenge: string;
  expiresAtMs: number;
}

/** People look for a security key, or for their phone. */
export const ceremonyMs = 300_000;

/** Whether this is the ceremony that an answer may belong to. */
export function isDue(ceremony: Ceremony, wanted: Pick<Ceremony, 'purpose' | 'personId'>, nowMs: number): boolean {
  return ceremony.purpose === wanted.purpose && ceremony.personId === wanted.personId && nowMs < ceremony.expiresAtMs;
}

/** Of what a browser sent back. @throws SyntaxError */
export function ceremonyOf(text: string): Ceremony | undefined {
  const read = JSON.parse(text) as Partial<Ceremony>;
  const isCeremony = typeof read.challenge === 'string' && typeof read.expiresAtMs === 'number' && read.purpose !== undefined;
  return isCeremony ? (read as Ceremony) : undefined;
}
