/** NIST SP 800-63B: length counts, composition rules do not. */
export const passwordCharsMin = 12;
export const passwordCharsMax = 128;

const fewest = 5;

/** Why a password cannot be taken, in words that follow its name; undefined: it can. */
export function passwordProblem(password: string, known: readonly string[]): string | undefined {
  if (password.length < passwordCharsMin) return `must have at least ${passwordCharsMin} characters`;
  if (password.length > passwordCharsMax) return `must have at most ${passwordCharsMax} characters`;
  if (new Set(password).size < fewest) return `must have at least ${fewest} different characters`;
  const lower = password.toLowerCase();
  if (known.some(word => lower === word.toLowerCase())) return 'must not be your e-mail address or name';
  return undefined;
}
