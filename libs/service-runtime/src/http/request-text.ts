import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { DomainError, invalidField } from '../domain-error';

/** The rule that a client's text breaks; undefined when it breaks none. */
type TextProblem = 'must not contain control characters' | 'must be well-formed Unicode';

/** C0, DEL and C1. PostgreSQL accepts no NUL; the others can forge lines in mails, logs and terminals. */
const control = /\p{Cc}/u;
const controlButLines = /[^\P{Cc}\t\n\r]/u;

/** `isMultiline`: tabulators and line ends are part of the text (addresses, PEM). */
function textProblem(text: string, isMultiline = false): TextProblem | undefined {
  if ((isMultiline ? controlButLines : control).test(text)) return 'must not contain control characters';
  // Half a surrogate pair becomes U+FFFD when it is stored, so the text changes, and two different texts become equal.
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** Removes forbidden characters from a name, so that an error can contain it; at most 64 characters. */
function showable(name: string): string {
  return name
    .slice(0, 64)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{FFFD}');
}

type Problem = TextProblem | 'must be percent-encoded UTF-8';

/** Refuses a request target whose decoded path or query contains text that no body may contain. @throws DomainError 400 */
export function refuseHostileTarget(target: string): void {
  // Without percent-encoding the target is visible ASCII, which the HTTP parser ensures.
  if (!target.includes('%')) return;
  const [path = '', ...query] = target.split('?');
  refuse('path', problemIn(path));
  for (const parameter of query.join('?').split('&')) {
    const [name = '', ...value] = parameter.split('=');
    refuse('query', problemIn(name));
    refuse(showable(decodeURIComponent(name)), problemIn(value.join('=')));
  }
}

function refuse(field: string, problem: Problem | undefined): void {
  if (problem) throw invalidField(field, problem);
}

function problemIn(encoded: string): Problem | undefined {
  try {
    return textProblem(decodeURIComponent(encoded));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return 'must be percent-encoded UTF-8';
  }
}

/** Deepest nesting of arrays and objects in a body; the deepest of the specification is 3. */
const nestingMax = 32;

const none: ReadonlySet<string> = new Set();
/** C0 characters and half surrogate pairs can only come from an escape; DEL and C1 appear as they are. */
const maybeUnacceptable = /[\\\u007f-\u009f]/;

/** The text of a body. @throws DomainError 400 when it is not UTF-8, because a repairing decoder would change the text */
export function decodeBody(body: Buffer): string {
  if (!isUtf8(body)) throw invalidField('body', 'must be UTF-8');
  return body.toString('utf8');
}

/**
 * Parses a request body. Refuses invalid JSON, nesting beyond `nestingMax` (before anything recurses), duplicate keys (A-59: two parsers could
 * read two different values), `__proto__` keys (prototype poisoning), and texts that `textProblem` names. Texts in `multilineFields`, and
 * everything inside them, may have line ends.
 */
export function parseJsonBody(text: string, multilineFields: ReadonlySet<string> = none): unknown {
  // RFC 8259 8.1 forbids to send it. Editors and .NET write it, and nobody sees it.
  if (text.startsWith('\uFEFF')) throw invalidField('body', 'must not begin with a byte order mark');
  if (nestingOf(text) > nestingMax) throw invalidField('body', `must not be nested deeper than ${nestingMax} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DomainError({ status: 400, reason: 'INVALID_JSON', message: 'body is not valid JSON', cause });
  }
  // A text that its own value writes again, byte for byte, has every key once: most callers send such a text, and writing it costs a fifth of a scan.
  if (text.includes('__proto__') || JSON.stringify(value) !== text) refuseDuplicateKeys(text);
  if (maybeUnacceptable.test(text)) refuseUnacceptable(value, { path: '', isMultiline: false, multilineFields });
  return value;
}

/** Deepest nesting of brackets outside strings, by one pass over the characters. For text that is not JSON the number has no meaning. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** Index of the quote that ends the string begun at `start`; the end of the text when none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function refuseDuplicateKeys(text: string): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: name => {
      const keys = open.at(-1)!;
      if (name === '__proto__') throw invalidField(name, 'is not an allowed key');
      if (keys.has(name)) throw invalidField(showable(name), 'appears more than once');
      keys.add(name);
    },
  });
}

interface Place {
  /** `clientContact.firstName`, `[0].reference`; empty for the body itself. */
  path: string;
  isMultiline: boolean;
  multilineFields: ReadonlySet<string>;
}

/** Recurses no deeper than `nestingMax`. */
function refuseUnacceptable(value: unknown, place: Place): void {
  if (typeof value === 'string') return refuseText(value, place);
  if (Array.isArray(value)) {
    return value.forEach((item, at) => refuseUnacceptable(item, { ...place, path: `${place.path}[${at}]` }));
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const path = place.path === '' ? showable(name) : `${place.path}.${showable(name)}`;
    refuseText(name, { ...place, path, isMultiline: false });
    refuseUnacceptable(member, { ...place, path, isMultiline: place.isMultiline || place.multilineFields.has(name) });
  }
}

function refuseText(text: string, { path, isMultiline }: Place): void {
  const problem = textProblem(text, isMultiline);
  if (problem) throw invalidField(path === '' ? 'body' : path, problem);
}
