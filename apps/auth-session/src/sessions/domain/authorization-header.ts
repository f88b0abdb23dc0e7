/** The credential in the Authorization lines of one request. */
export type Credential =
  | { kind: 'NONE' }
  | { kind: 'BASIC'; username: string; password: string }
  | { kind: 'BASIC_UNREADABLE' }
  | { kind: 'BEARER'; token: string }
  | { kind: 'MALFORMED' };

/** More lines or characters are refused without reading them. */
const linesMax = 8;
const lineCharsMax = 8_192;
// RFC 9110 11.4: a scheme, then spaces, then token68. It contains no comma, so commas separate credentials that an intermediary has joined.
const credentialPattern = /^([A-Za-z]+)(?: +([A-Za-z0-9\-._~+/]+=*))?$/;
const jwtPattern = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;

// RFC 7617 2: neither part may hold a control character. Such a name never reaches a store.
const controlCharacter = /\p{Cc}/u;
// Keeps a byte order mark: if it were removed, two spellings would name one account.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads all Authorization lines: a Bearer token wins over Basic credentials, whether it later proves valid or not; anything
 * that is neither, or two different ones of a kind, makes the whole request malformed (fail closed).
 */
export function chooseCredential(lines: readonly string[]): Credential {
  const [only = '', ...more] = lines;
  if (lines.length === 0) return { kind: 'NONE' };
  if (lines.length > linesMax || lines.some(line => line.length > lineCharsMax)) return { kind: 'MALFORMED' };
  // Nearly every request has one line with one credential, which needs no comparison.
  return more.length === 0 && !only.includes(',') ? readCredential(only.trim()) : weigh(lines);
}

function weigh(lines: readonly string[]): Credential {
  const credentials = lines.flatMap(line => line.split(',')).map(part => readCredential(part.trim()));
  const of = (...kinds: Credential['kind'][]) => credentials.filter(credential => kinds.includes(credential.kind));
  const [malformed] = of('MALFORMED');
  return malformed ?? theOne(of('BEARER'), 'MALFORMED') ?? theOne(of('BASIC', 'BASIC_UNREADABLE'), 'BASIC_UNREADABLE')!;
}

/** The JWT classifier of A-24, also for tokens in bodies: three base64url parts, the signature possibly empty. */
export function isJwtShaped(token: string): boolean {
  return token.length <= lineCharsMax && jwtPattern.test(token);
}

function readCredential(text: string): Credential {
  const [, scheme = '', parameter = ''] = credentialPattern.exec(text) ?? [];
  if (scheme.toLowerCase() === 'basic') return readBasic(parameter);
  // No space after `Bearer`, another scheme, or a token that is not a JWT (R-5.2-1, R-7-3).
  if (scheme.toLowerCase() !== 'bearer' || !isJwtShaped(parameter)) return { kind: 'MALFORMED' };
  return { kind: 'BEARER', token: parameter };
}

/** RFC 7617: base64 of `user-id:password` in UTF-8 without control characters; the user-id ends at the first colon. */
function readBasic(parameter: string): Credential {
  const text = base64Pattern.test(parameter) ? decodeUtf8(Buffer.from(parameter, 'base64')) : undefined;
  if (text === undefined || controlCharacter.test(text)) return { kind: 'BASIC_UNREADABLE' };
  const colon = text.indexOf(':');
  // No account has an empty name or password, and passport-http would refuse it without counting.
  if (colon < 1 || colon === text.length - 1) return { kind: 'BASIC_UNREADABLE' };
  return { kind: 'BASIC', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // TextDecoder has no other way to say "not UTF-8".
    return undefined;
  }
}

/** The one credential among these, also when it was sent several times over; undefined when there is none. */
function theOne(credentials: Credential[], ifSeveral: 'MALFORMED' | 'BASIC_UNREADABLE'): Credential | undefined {
  const distinct = new Set(credentials.map(credential => JSON.stringify(credential)));
  return distinct.size > 1 ? { kind: ifSeveral } : credentials[0];
}
