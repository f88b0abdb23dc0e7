import type { UrlRefusal } from './policy/url-rules';

/**
 * The policy refuses the URL or one of its addresses. No packet was sent. The error contains no address, because addresses
 * could reveal the internal network.
 */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';
  readonly code = 'OUTBOUND_REFUSED';

  constructor(readonly refusal: UrlRefusal) {
    super(`outbound request refused: ${refusal}`);
  }
}

/**
 * The name has no address (`ENOTFOUND`), or the platform's resolver did not answer (`EAI_AGAIN`, a fault of the platform), or every name server
 * fails for this name and not for others (`ZONE_FAILED`, a fault of the receiver's zone if it lasts: P-T8).
 */
export class NameResolutionError extends Error {
  override readonly name = 'NameResolutionError';

  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'ZONE_FAILED',
    cause?: unknown,
  ) {
    super(code === 'ENOTFOUND' ? 'host name has no address' : 'name servers gave no answer', { cause });
  }
}

/** The receiver did not complete the connection within its budget. */
export class OutboundTimeoutError extends Error {
  override readonly name = 'OutboundTimeoutError';
  readonly code = 'ETIMEDOUT';

  constructor(readonly phase: 'connect' | 'tls') {
    super(`no connection in time: ${phase}`);
  }
}

/** The configured egress proxy could not be used (a fault of the platform), or it could not reach the receiver (`OUTBOUND_UNREACHABLE`). */
export class OutboundProxyError extends Error {
  override readonly name = 'OutboundProxyError';

  constructor(
    readonly code: 'OUTBOUND_PROXY' | 'OUTBOUND_UNREACHABLE',
    cause?: unknown,
  ) {
    super(code === 'OUTBOUND_PROXY' ? 'egress proxy did not serve' : 'egress proxy could not reach the receiver', { cause });
  }
}

/**
 * Codes of faults in this process, its host or its network. ENETUNREACH comes from the local routing table; EHOSTUNREACH comes from the
 * network beyond it and counts as the receiver's fault.
 */
const ourCodes = new Set([
  'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL', 'EADDRINUSE', 'EAI_AGAIN', 'EAI_MEMORY', 'ENETDOWN', 'ENETUNREACH',
  'EACCES', 'EPERM', 'OUTBOUND_PROXY', 'NO_CLIENT_CERTIFICATE', 'ZONE_FAILED', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED',
]); // prettier-ignore

const causeDepthMax = 5;

/**
 * True for faults of the platform, for which the receiver is not to blame (P-T8): the attempt does not count and is repeated later. When
 * several addresses were tried, all must have failed by such a fault.
 */
export function isOurFault(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > causeDepthMax) return false;
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every(inner => isOurFault(inner, depth + 1));
  }
  const code = (error as NodeJS.ErrnoException).code;
  return (typeof code === 'string' && ourCodes.has(code)) || isOurFault(error.cause, depth + 1);
}
