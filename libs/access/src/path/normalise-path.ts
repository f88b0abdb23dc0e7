export type NormalisedPath =
  | {
      ok: true;
      /** The path to match, forward and log: unreserved characters are decoded, nothing else is changed. Without the query. */
      path: string;
      /** `path` without one leading `/pluto`; the path-role table uses it. */
      rolePath: string;
      /** The query with its `?`, exactly as received; empty when there is none. */
      search: string;
    }
  | { ok: false; reason: PathRefusal };

export type PathRefusal =
  | 'not an absolute path'
  | 'too long'
  | 'character not allowed'
  | 'percent-encoding not allowed'
  | 'empty segment'
  | 'dot segment'
  | 'upper case not allowed here';

const targetCharsMax = 8_192;
const pathCharsMax = 2_048;
/** RFC 3986 pchar without `;` (path parameters: matchers disagree about them) and without `%`, which is handled first. */
const allowedPath = /^[A-Za-z0-9\-._~!$&'()*+,=:@/]*$/;
/** Printable ASCII: no control character, blank, fragment or byte beyond ASCII can be forwarded in a query. */
const allowedSearch = /^[\x21\x22\x24-\x7e]*$/;
/** Encoded dots are not in the list: `%2e%2e` is always an attack. */
const decodable = /^[A-Za-z0-9\-_~]$/;
const percentOrEncoding = /%(?:[0-9A-Fa-f]{2})?/g;

/**
 * Normalises a request target (T-26, A-47). The gateway, auth-session's path-role table and the services all use the result, so no
 * spelling of a path can match one rule and reach the handler of another. It refuses a target that two parsers could read differently,
 * and never repairs one. `rawTarget` is the request target as received (origin form), query included. Idempotent on `path`.
 */
export function normalisePath(rawTarget: string): NormalisedPath {
  if (rawTarget.length > targetCharsMax) return refused('too long');
  const queryAt = rawTarget.indexOf('?');
  const rawPath = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);
  const search = queryAt < 0 ? '' : rawTarget.slice(queryAt);
  if (!rawPath.startsWith('/')) return refused('not an absolute path');
  if (!allowedSearch.test(search)) return refused('character not allowed');
  const path = decodeUnreserved(rawPath);
  if (path === undefined) return refused('percent-encoding not allowed');
  const reason = objectionTo(path);
  return reason ? refused(reason) : { ok: true, path, rolePath: withoutPlutoPrefix(path), search };
}

function refused(reason: PathRefusal): NormalisedPath {
  return { ok: false, reason };
}

/** RFC 3986 6.2.2.2: `%70` is `p`. Every other encoding (slash, backslash, NUL, percent, dot, ...) and a broken one: undefined. */
function decodeUnreserved(rawPath: string): string | undefined {
  if (!rawPath.includes('%')) return rawPath;
  let isRefused = false;
  const path = rawPath.replace(percentOrEncoding, encoded => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    isRefused ||= !decodable.test(character);
    return character;
  });
  return isRefused ? undefined : path;
}

function objectionTo(path: string): PathRefusal | undefined {
  if (path.length > pathCharsMax) return 'too long';
  if (!allowedPath.test(path)) return 'character not allowed';
  if (path.includes('//')) return 'empty segment';
  const segments = path.split('/').slice(1);
  if (segments.some(segment => segment === '.' || segment === '..')) return 'dot segment';
  // These segments select the rule and the route, and all are lower case: `/PUBLIC` must not match one rule here and another route there.
  const decisive = segments.slice(0, segments[0]?.toLowerCase() === 'pluto' ? 2 : 1);
  return decisive.some(segment => /[A-Z]/.test(segment)) ? 'upper case not allowed here' : undefined;
}

function withoutPlutoPrefix(path: string): string {
  if (path === '/pluto') return '/';
  return path.startsWith('/pluto/') ? path.slice('/pluto'.length) : path;
}
