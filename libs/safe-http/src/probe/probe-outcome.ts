import { isOurFault, NameResolutionError, OutboundRefusedError, OutboundTimeoutError } from '../outbound-errors';

/** Reason for the caller of addHttp. It is coarse, because a detailed reason would turn the platform into a port scanner (T-11). */
export type CoarseReason = 'not reachable' | 'did not accept POST' | 'did not return 200' | 'not allowed';

/** The exact result, for the owner of the URL (Check) and for logs. */
export type ProbeDetail =
  | 'NOT_ALLOWED'
  | 'NAME_NOT_FOUND'
  | 'NAME_SERVERS_FAILED'
  | 'CONNECTION_REFUSED'
  | 'CONNECTION_CLOSED'
  | 'CONNECT_TIMEOUT'
  | 'CONNECT_FAILED'
  | 'TLS_TIMEOUT'
  | 'TLS_VERSION_TOO_OLD'
  | 'TLS_FAILED'
  | 'CLIENT_CERTIFICATE_DEMANDED'
  | 'CERTIFICATE_EXPIRED'
  | 'CERTIFICATE_NOT_YET_VALID'
  | 'CERTIFICATE_SELF_SIGNED'
  | 'CERTIFICATE_NOT_TRUSTED'
  | 'CERTIFICATE_NAME_MISMATCH'
  | 'NO_ANSWER_IN_TIME'
  | 'HEADERS_TOO_LARGE'
  | 'ANSWER_TOO_LARGE'
  | 'ANSWER_NOT_HTTP'
  | 'POST_NOT_ACCEPTED'
  | 'STATUS_NOT_200'
  | 'OUR_FAULT';

export interface ProbeTimings {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the request being written to the status line. */
  firstByteMs: number | null;
  totalMs: number;
}

export interface ProbeOutcome {
  /** The receiver accepted the POST with status 200. */
  isAccepted: boolean;
  /** null when accepted. */
  reason: CoarseReason | null;
  detail: ProbeDetail | null;
  /** HTTP status of the answer; null without one. */
  status: number | null;
  timings: ProbeTimings;
  /** ISO 8601 UTC instant at which the receiver's certificate expires; null without TLS or before it was seen. */
  certificateExpiresAt: string | null;
}

export type ProbeFailure = Pick<ProbeOutcome, 'reason' | 'detail'>;

const certificateRequired = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

/** 405 and 501 say that POST itself is not served there. */
const postRefusedStatuses = new Set([405, 501]);

/** null for 200. */
export function failureOfStatus(status: number): ProbeFailure | null {
  if (status === 200) return null;
  if (postRefusedStatuses.has(status)) return { reason: 'did not accept POST', detail: 'POST_NOT_ACCEPTED' };
  return { reason: 'did not return 200', detail: 'STATUS_NOT_200' };
}

/** `isConnected`: the request was sent, so the answer failed. */
export function failureOfError(error: unknown, isConnected: boolean): ProbeFailure {
  const root = rootOf(error);
  if (root instanceof OutboundRefusedError) return { reason: 'not allowed', detail: 'NOT_ALLOWED' };
  // TLS 1.3 refuses a missing certificate when the handshake is over.
  if (codeOf(root) === certificateRequired) return { reason: 'not reachable', detail: 'CLIENT_CERTIFICATE_DEMANDED' };
  if (isConnected) return { reason: 'did not return 200', detail: answerDetailOf(codeOf(root)) };
  return { reason: 'not reachable', detail: connectionDetailOf(root) };
}

function answerDetailOf(code: string): ProbeDetail {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  if (code === 'ANSWER_TOO_LARGE') return 'ANSWER_TOO_LARGE';
  if (code.startsWith('HPE_')) return 'ANSWER_NOT_HTTP';
  return 'CONNECTION_CLOSED';
}

function connectionDetailOf(error: Error): ProbeDetail {
  if (error instanceof NameResolutionError) return error.code === 'ENOTFOUND' ? 'NAME_NOT_FOUND' : 'NAME_SERVERS_FAILED';
  if (error instanceof OutboundTimeoutError) return error.phase === 'tls' ? 'TLS_TIMEOUT' : 'CONNECT_TIMEOUT';
  const code = codeOf(error);
  // Without a route to the receiver's only address, the URL is not reachable for the caller.
  if (isOurFault(error) && code !== 'ENETUNREACH') return 'OUR_FAULT';
  return detailByCode[code] ?? tlsDetailOf(code);
}

const detailByCode: Record<string, ProbeDetail> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_CLOSED',
  EPIPE: 'CONNECTION_CLOSED',
  ETIMEDOUT: 'CONNECT_TIMEOUT',
  CERT_HAS_EXPIRED: 'CERTIFICATE_EXPIRED',
  CERT_NOT_YET_VALID: 'CERTIFICATE_NOT_YET_VALID',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CERTIFICATE_SELF_SIGNED',
  SELF_SIGNED_CERT_IN_CHAIN: 'CERTIFICATE_NOT_TRUSTED',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CERTIFICATE_NOT_TRUSTED',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CERTIFICATE_NOT_TRUSTED',
  UNABLE_TO_GET_ISSUER_CERT: 'CERTIFICATE_NOT_TRUSTED',
  CERT_UNTRUSTED: 'CERTIFICATE_NOT_TRUSTED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CERTIFICATE_NAME_MISMATCH',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'TLS_VERSION_TOO_OLD',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'TLS_VERSION_TOO_OLD',
};

function tlsDetailOf(code: string): ProbeDetail {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO' ? 'TLS_FAILED' : 'CONNECT_FAILED';
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** HTTP clients wrap what the connection threw. */
function rootOf(error: unknown): Error {
  let root = error instanceof Error ? error : new Error('not an error');
  while (root.cause instanceof Error && !(root instanceof NameResolutionError)) root = root.cause;
  return root;
}
