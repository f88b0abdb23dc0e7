import { ValidateBy } from 'class-validator';

/**
 * A merchant's server may demand it of each request: `header` and `value`, or `username` and `password` (Basic, RFC 7617). Without any member:
 * nothing.
 */
export interface ReceiverCredential {
  /** Name of a header field: `Authorization`, `X-Api-Key`. */
  header?: string;
  value?: string;
  username?: string;
  password?: string;
}

/** A header field of requests to one merchant's server. */
export interface CredentialHeader {
  /** In lower case. */
  name: string;
  value: string;
}

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Printable ASCII, which every server reads the same way, and no space at the ends, which HTTP drops. */
const headerValue = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;
const printable = /^[ -~]{1,255}$/;

/** Fields that HTTP, proxies, a browser or the platform set: a merchant could change the meaning of a request by them. */
const reservedNames = new RegExp(
  '^(?:accept|accept-.*|cache-control|connection|content-.*|cookie|date|expect|forwarded|host|http2-settings|if-.*|keep-alive|max-forwards|' +
    'origin|pragma|proxy-.*|range|referer|sec-.*|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent|via|' +
    'x-forwarded-.*|x-http-method.*|x-method-override|x-original-.*|x-real-ip|x-rewrite-.*|x-webhook-.*)$',
  'i',
);

/** The kinds of credentials by their members, in alphabetical order. */
const problemOf: Readonly<Record<string, (given: ReceiverCredential) => string | undefined>> = {
  '': () => undefined,
  'header value': ({ header, value }) => headerProblem(header, value),
  'password username': ({ username, password }) => basicProblem(username, password),
};

/** The rule that a credential breaks, which never quotes it; undefined: none. */
export function credentialProblem(given: unknown): string | undefined {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const members = isObject ? Object.keys(given).sort().join(' ') : 'none';
  if (!isObject || !Object.hasOwn(problemOf, members))
    return 'credential must have header and value, or username and password, or nothing to remove it';
  return problemOf[members]!(given);
}

function headerProblem(header: unknown, value: unknown): string | undefined {
  if (!matches(headerName, header)) return 'credential.header must be the name of a header field, of at most 64 characters';
  if (matches(reservedNames, header)) return 'credential.header must be no field that HTTP, proxies or the platform set';
  return matches(headerValue, value)
    ? undefined
    : 'credential.value must be 1 to 1,024 printable ASCII characters without a space at its ends';
}

function basicProblem(username: unknown, password: unknown): string | undefined {
  if (!matches(printable, username) || String(username).includes(':'))
    return 'credential.username must be 1 to 255 printable ASCII characters without a colon';
  return matches(printable, password) ? undefined : 'credential.password must be 1 to 255 printable ASCII characters';
}

function matches(rule: RegExp, text: unknown): boolean {
  return typeof text === 'string' && rule.test(text);
}

/** The field that a well-formed credential becomes; null: none. */
export function credentialHeaderOf({ header, value, username, password }: ReceiverCredential): CredentialHeader | null {
  if (header !== undefined && value !== undefined) return { name: header.toLowerCase(), value };
  if (username === undefined || password === undefined) return null;
  return { name: 'authorization', value: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** For a field of a body; its message names the rule and never the value. */
export function IsReceiverCredential(): PropertyDecorator {
  return ValidateBy({
    name: 'isReceiverCredential',
    validator: {
      validate: value => credentialProblem(value) === undefined,
      defaultMessage: context => credentialProblem(context!.value)!,
    },
  });
}
