import type { ProbeDetail, ProbeOutcome } from '@paycode/safe-http';

const connection = 'no connection could be made';
const tls = 'the TLS handshake failed: check certificate, chain and versions';
const notHttp = 'the answer was no HTTP or too large';

/**
 * Which class of failure a PSP is told. A refused, a closed and a filtered port sound alike, and an address that the policy refuses is not
 * explained at all: nothing here tells an open port from a closed one, or an inner name from none (T-11). The whole detail is for operators.
 */
const classes: Record<ProbeDetail, string | undefined> = {
  NOT_ALLOWED: undefined,
  OUR_FAULT: undefined,
  NAME_NOT_FOUND: 'the host name has no address',
  NAME_SERVERS_FAILED: 'the name servers of the host gave no answer',
  CONNECTION_REFUSED: connection,
  CONNECTION_CLOSED: connection,
  CONNECT_TIMEOUT: connection,
  CONNECT_FAILED: connection,
  TLS_TIMEOUT: tls,
  TLS_VERSION_TOO_OLD: tls,
  TLS_FAILED: tls,
  CERTIFICATE_EXPIRED: tls,
  CERTIFICATE_NOT_YET_VALID: tls,
  CERTIFICATE_SELF_SIGNED: tls,
  CERTIFICATE_NOT_TRUSTED: tls,
  CERTIFICATE_NAME_MISMATCH: tls,
  NO_ANSWER_IN_TIME: 'no answer within 10 seconds',
  HEADERS_TOO_LARGE: notHttp,
  ANSWER_TOO_LARGE: notHttp,
  ANSWER_NOT_HTTP: notHttp,
  POST_NOT_ACCEPTED: undefined,
  STATUS_NOT_200: undefined,
};

/** The class of a failed probe in words; undefined when the coarse reason says all there is to say. */
export function explanationOf({ detail, status }: Pick<ProbeOutcome, 'detail' | 'status'>): string | undefined {
  if (detail === null) return undefined;
  return status !== null && status !== 200 ? `answered with status ${status}` : classes[detail];
}
