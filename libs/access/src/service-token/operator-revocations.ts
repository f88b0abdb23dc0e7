/** Operator tokens that are no longer accepted, as the revocations file states them. */
export interface OperatorRevocations {
  /** Ids (`jti`) of single tokens. */
  tokens: string[];
  /** Maps a subject, or `*` for everybody, to an epoch second; tokens issued up to it are revoked. */
  issuedUntil: Record<string, number>;
}

export const nothingRevoked: OperatorRevocations = { tokens: [], issuedUntil: {} };
export const everybody = '*';

/** Reads a revocations file. @throws Error for any other shape, because a mistake must not silently revoke nothing */
export function operatorRevocationsOf(text: string): OperatorRevocations {
  const { tokens, issuedUntil, ...rest } = JSON.parse(text) as Partial<OperatorRevocations>;
  if (Object.keys(rest).length > 0) throw new Error(`unknown member ${Object.keys(rest).join(', ')}`);
  if (!Array.isArray(tokens) || !tokens.every(id => typeof id === 'string'))
    throw new Error('tokens must be an array of token ids');
  const isTable = typeof issuedUntil === 'object' && issuedUntil !== null && !Array.isArray(issuedUntil);
  if (!isTable || !Object.values(issuedUntil).every(Number.isSafeInteger))
    throw new Error('issuedUntil must map subjects to epoch seconds');
  return { tokens, issuedUntil };
}

/** Whether that token is revoked by itself, with its subject, or with everybody's. */
export function isRevoked(
  { tokens, issuedUntil }: OperatorRevocations,
  token: { id: string; subject: string; issuedAtS: number },
): boolean {
  const until = Math.max(issuedUntil[everybody] ?? 0, issuedUntil[token.subject] ?? 0);
  return token.issuedAtS <= until || tokens.includes(token.id);
}
