/** Header fields in wire order, names and values alternating, as `IncomingMessage.rawHeaders` has them. */
export type RawHeaders = readonly string[];

/** Every value of a field, one per line, in order. `name` in lower case. */
export function valuesOf(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]!.toLowerCase() === name) values.push(headers[index + 1]!);
  }
  return values;
}

/** Fields that concern one connection only (RFC 9110 7.6.1). */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Fields that only the gateway may set (T-26). */
const ownFields =
  /^(x-paycode-|x-forwarded-|x-original-|x-real-ip$|forwarded$|via$|host$|content-length$|x-request-id$|x-http-method)/;

export interface ForwardedFacts {
  identity: string | undefined;
  requestId: string;
  /** Address of the client, not of a proxy. */
  address: string;
  isCredentialForwarded: boolean;
  isCookieForwarded: boolean;
}

/** Header for a service: the client's fields without credentials, hop-by-hop fields and forged fields, followed by the gateway's own fields. */
export function forwardedHeaders(headers: RawHeaders, facts: ForwardedFacts): string[] {
  const isDropped = droppedFields(headers);
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase();
    if (isDropped(name) || ownFields.test(name)) continue;
    if (isKeptBack(name, facts)) continue;
    kept.push(name, headers[index + 1]!);
  }
  const host = valuesOf(headers, 'host')[0];
  kept.push('x-request-id', facts.requestId, 'x-forwarded-for', facts.address, 'x-forwarded-proto', 'https');
  if (host !== undefined) kept.push('x-forwarded-host', host);
  if (facts.identity !== undefined) kept.push('x-paycode-identity', facts.identity);
  return kept;
}

/** Credentials, which only those services see that read them. */
function isKeptBack(name: string, { isCredentialForwarded, isCookieForwarded }: ForwardedFacts): boolean {
  return (name === 'authorization' && !isCredentialForwarded) || (name === 'cookie' && !isCookieForwarded);
}

const notForClients = /^(x-paycode-|server$|x-powered-by$|x-request-id$)/;

/** Fields of a service's answer that reach the client. */
export function answerHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  const isDropped = droppedFields(Object.entries(headers).flatMap(([name, value]) => [name, String(value)]));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isDropped(name) && !notForClients.test(name)) kept[name] = value;
  }
  return kept;
}

/** Returns a test for fields that are not forwarded: hop-by-hop fields, and fields that the Connection field names. */
function droppedFields(headers: RawHeaders): (name: string) => boolean {
  const declared = valuesOf(headers, 'connection').flatMap(value => value.toLowerCase().split(','));
  const options = new Set(declared.map(option => option.trim()));
  return name => hopByHop.has(name) || options.has(name);
}
