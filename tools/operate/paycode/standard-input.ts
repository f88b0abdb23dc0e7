import { readFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/** Standard input is read once, although a token and a file may both come through it: a pod has no other way in. */
let text: string | undefined;

function whole(): string {
  return (text ??= readFileSync(0, 'utf8'));
}

/** The operator token: the first line. */
export function tokenFromInput(): string {
  return whole().split('\n', 1)[0]!.trim();
}

/** A file that comes through standard input; behind the token when that comes first. @throws OperatorError when nothing comes behind the token */
export function fileFromInput({ isBehindToken }: { isBehindToken: boolean }): string {
  if (!isBehindToken) return whole();
  const file = whole().slice(whole().indexOf('\n') + 1);
  if (!whole().includes('\n') || file.trim() === '')
    throw new OperatorError(
      'standard input ends behind the token: send both, the token first, as in cat operator.token <file> | …',
    );
  return file;
}
