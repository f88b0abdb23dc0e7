import { randomInt } from 'node:crypto';

const recoveryCodes = 10;
/** Without letters and digits that look alike. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
export const recoveryChars = 16;

/** Each stands in once for an app or a passkey that is lost. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    Array.from({ length: recoveryChars }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join(''),
  );
}
