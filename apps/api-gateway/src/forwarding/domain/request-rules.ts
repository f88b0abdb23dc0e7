import { type RawHeaders, valuesOf } from './header-lines';

export interface RequestLine {
  /** `1.1`, as the parser saw it. */
  version: string;
  method: string;
  headers: RawHeaders;
  /** Announced number of bytes; undefined for chunks, whose size is known only at the end; 0 without a body. */
  announcedBytes: number | undefined;
  /** The path takes bodies of any type: a relay's, or one for mail programs. */
  isAnyType?: boolean;
}

export interface Objection {
  status: 400 | 408 | 413 | 415 | 501;
  message: string;
}

/**
 * The methods of Node's parser, without CONNECT, which has no path. When a known path does not accept a method, its service answers 405,
 * after the caller is authorized.
 */
const methods = new Set(
  (
    'ACL BIND CHECKOUT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND ' +
    'PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  ).split(' '),
);
const headerLinesMax = 100;
/** Fields that may appear only once, because two readers could use two different values. */
const onlyOnce = ['host', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'expect'];
/** `application/json`, with no parameter but a UTF-8 charset. */
const jsonType = /^application\/json(?:\s*;\s*charset=(?:"utf-8"|utf-8))?\s*;?\s*$/i;
const fieldValue = /^[\t\x20-\x7e]*$/;
const hostValue = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;

/** The rule that a request breaks, checked before authentication; undefined when it breaks none. */
export function objectionTo(request: RequestLine, bodyBytesMax: number): Objection | undefined {
  return (
    versionObjection(request) ??
    methodObjection(request) ??
    headerObjection(request.headers) ??
    bodyObjection(request, bodyBytesMax)
  );
}

/** HTTP/0.9 has no header at all, and chunks in HTTP/1.0 mean different things to different readers (RFC 9112 6.1). */
function versionObjection({ version, headers }: RequestLine): Objection | undefined {
  const isChunked10 = version === '1.0' && valuesOf(headers, 'transfer-encoding').length > 0;
  const isKnown = version === '1.1' || version === '1.0';
  return isKnown && !isChunked10 ? undefined : { status: 400, message: 'HTTP version is not supported' };
}

function methodObjection({ method }: RequestLine): Objection | undefined {
  return methods.has(method) ? undefined : { status: 400, message: 'method is not allowed' };
}

function headerObjection(headers: RawHeaders): Objection | undefined {
  if (headers.length / 2 > headerLinesMax) return { status: 400, message: 'too many header fields' };
  const repeated = onlyOnce.find(name => valuesOf(headers, name).length > 1);
  if (repeated) return { status: 400, message: `${repeated} appears more than once` };
  const [host] = valuesOf(headers, 'host');
  if (host !== undefined && !hostValue.test(host)) return { status: 400, message: 'host is not valid' };
  const [coding] = valuesOf(headers, 'transfer-encoding');
  // RFC 9112 6.1. A reader that only removes the chunks would read a compressed body as other text.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return { status: 501, message: 'Transfer-Encoding must be chunked' };
  const isPlain = headers.every((text, index) => index % 2 === 0 || fieldValue.test(text));
  return isPlain ? undefined : { status: 400, message: 'a header field has characters that are not allowed' };
}

function bodyObjection({ headers, announcedBytes, isAnyType }: RequestLine, bodyBytesMax: number): Objection | undefined {
  if (announcedBytes === undefined) return undefined;
  if (announcedBytes > bodyBytesMax) return bodyTooLarge;
  return isAnyType ? undefined : bodyTypeObjection(headers, announcedBytes);
}

/** Requires that a request with a body declares JSON (R-5.4-1). For chunks it is checked after they are read. */
export function bodyTypeObjection(headers: RawHeaders, bodyBytes: number): Objection | undefined {
  if (bodyBytes === 0) return undefined;
  if (valuesOf(headers, 'content-encoding').length > 0) return { status: 415, message: 'Content-Encoding is not supported' };
  const [type = ''] = valuesOf(headers, 'content-type');
  return jsonType.test(type) ? undefined : { status: 415, message: 'Content-Type must be application/json' };
}

export const bodyTooLarge: Objection = { status: 413, message: 'body is larger than allowed' };
export const bodyTooSlow: Objection = { status: 408, message: 'the body of the request came too slowly' };
