/** What is wrong with a text a client sent, as the rule it breaks; undefined when nothing is. */
export type TextProblem = 'must not contain control characters' | 'must be well-formed Unicode';

/** C0, DEL and C1. PostgreSQL takes no NUL; the others forge lines in mails, logs and terminals. */
const control = /\p{Cc}/u;
const controlButLines = /[^\P{Cc}\t\n\r]/u;

/** `isMultiline`: tabulators and line ends are part of the text (addresses, PEM). */
export function textProblem(text: string, isMultiline = false): TextProblem | undefined {
  if ((isMultiline ? controlButLines : control).test(text)) return 'must not contain control characters';
  // Half a pair becomes U+FFFD when it is stored: what comes back is not what was sent, and two different texts collide.
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** Rids a name of what its problem is, so that an error can tell it; at most 64 characters. */
export function showable(name: string): string {
  return name
    .slice(0, 64)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{FFFD}');
}
