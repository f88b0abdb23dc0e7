/** The rule that a client's text breaks; undefined when it breaks none. */
export type TextProblem = 'must not contain control characters' | 'must be well-formed Unicode';

/** C0, DEL and C1. PostgreSQL accepts no NUL; the others can forge lines in mails, logs and terminals. */
const control = /\p{Cc}/u;
const controlButLines = /[^\P{Cc}\t\n\r]/u;

/** `isMultiline`: tabulators and line ends are part of the text (addresses, PEM). */
export function textProblem(text: string, isMultiline = false): TextProblem | undefined {
  if ((isMultiline ? controlButLines : control).test(text)) return 'must not contain control characters';
  // Half a surrogate pair becomes U+FFFD when it is stored, so the text changes, and two different texts become equal.
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** Removes forbidden characters from a name, so that an error can contain it; at most 64 characters. */
export function showable(name: string): string {
  return name
    .slice(0, 64)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{FFFD}');
}
