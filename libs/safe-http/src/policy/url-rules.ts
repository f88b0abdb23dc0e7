import { isIP } from 'node:net';

/** Longest webhook URL, in characters. */
export const urlCharsMax = 2_048;

export type UrlRefusal =
  'TOO_LONG' | 'MALFORMED' | 'SCHEME_OR_PORT' | 'USER_INFO' | 'FRAGMENT' | 'IP_LITERAL' | 'ADDRESS_NOT_ALLOWED';

export interface UrlRules {
  environment: 'sandbox' | 'production';
}

/** The target of a URL, as the connection code needs it. */
export interface OutboundTarget {
  protocol: 'http:' | 'https:';
  /** Host name or canonical IP address, without brackets. */
  hostname: string;
  port: number;
}

/** Exactly one scheme, two slashes, then a host: the URL parser alone would also take `https:host` and back-slashes. */
const httpUrlStart = /^https?:\/\/[^/\\?#]/i;
/** The URL parser silently drops tabs, line breaks and surrounding blanks: two readers could see two different URLs. */
const blankOrControl = /[\s\u0000-\u0020\u007f-\u009f\\]/;
const ipv4Shape = /^[\d.]+$/;

/** Rules that need no look-up, apart from the scheme-port pair. Pure. */
export function readUrl(text: string, rules: UrlRules): { url: URL } | { refusal: UrlRefusal } {
  const refusal = refusalOfText(text);
  if (refusal) return { refusal };
  const url = new URL(text);
  if (url.href.length > urlCharsMax) return { refusal: 'TOO_LONG' };
  if (!isHost(url.hostname)) return { refusal: 'MALFORMED' };
  if (rules.environment === 'production' && isIpLiteral(url)) return { refusal: 'IP_LITERAL' };
  return { url };
}

/** Checks the unparsed text, because the parser hides an empty user-info or fragment. */
function refusalOfText(text: string): UrlRefusal | undefined {
  if (text.length > urlCharsMax) return 'TOO_LONG';
  if (blankOrControl.test(text) || !httpUrlStart.test(text) || !URL.canParse(text)) return 'MALFORMED';
  if (authorityOf(text).includes('@')) return 'USER_INFO';
  return text.includes('#') ? 'FRAGMENT' : undefined;
}

/**
 * Path and query of a request. The URL parser writes quotes as percent-encodings, which some servers take for another path: they go out as they
 * stand in the URL.
 */
export function requestTargetOf(url: string, { pathname, search }: URL = new URL(url)): string {
  return /["']/.test(url) ? withQuotes(url) : pathname + search;
}

function withQuotes(url: string): string {
  const marks = ['"', "'"].map(quote => [quote, markFor(quote, url)] as const);
  const { pathname, search } = new URL(marks.reduce((text, [quote, mark]) => text.replaceAll(quote, mark), url));
  return marks.reduce((text, [quote, mark]) => text.replaceAll(mark, quote), pathname + search);
}

/** Letters that the URL does not have. */
function markFor(quote: string, url: string): string {
  let mark = quote === '"' ? 'doublequote' : 'singlequote';
  while (url.includes(mark)) mark += 'x';
  return mark;
}

/** Production: https on 443 or 8443. Sandbox also http on 80 or 8080. No other pair (R-8-6, R-6.2-6, A-45). */
export function isStandardPair({ protocol, port }: OutboundTarget, { environment }: UrlRules): boolean {
  if (protocol === 'https:') return port === 443 || port === 8_443;
  return environment === 'sandbox' && (port === 80 || port === 8_080);
}

export function targetOf(url: URL): OutboundTarget {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { protocol, hostname: bareHostname(url.hostname), port };
}

/** Without the brackets of an IPv6 literal. */
export function bareHostname(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function isIpLiteral(url: URL): boolean {
  return isIP(bareHostname(url.hostname)) !== 0;
}

function authorityOf(text: string): string {
  return text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0]!;
}

const labelShape = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** An IP literal or a host name of DNS labels; one trailing dot is allowed. */
function isHost(hostname: string): boolean {
  if (isIP(bareHostname(hostname)) !== 0) return true;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name.length <= 253 && !ipv4Shape.test(name) && name.split('.').every(label => labelShape.test(label));
}
