import { Inject, Injectable } from '@nestjs/common';
import { counter } from '@paycode/service-runtime/metrics';
import {
  type CoarseReason,
  type OutboundGuard,
  type ProbeDetail,
  type ProbeLimits,
  type ProbeMessage,
  type ProbeOutcome,
  UrlProber,
  userAgent,
} from '@paycode/safe-http';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { setTimeout as pause } from 'node:timers/promises';
import { ProbeBudget, type ProbePermit, type ProbeRequest, type RequestAccess } from './probe-budget';

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
  CLIENT_CERTIFICATE_DEMANDED: 'the server demands a client certificate: set clientCertificate, or allow requests without one',
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

/** The one-field body of spec 2.6 (R-2.6-1, A-50). */
const probeMessage: ProbeMessage = {
  body: JSON.stringify({ result: 'TEST' }),
  headers: { 'content-type': 'application/json' },
};

/** Sends one POST through `libs/safe-http`: the probe body of section 2.6, or another message. */
export class UrlProbe {
  private readonly prober: UrlProber;

  constructor(
    private readonly guard: OutboundGuard,
    private readonly limits: ProbeLimits,
  ) {
    this.prober = new UrlProber(guard, userAgent);
  }

  /** Whether the text of the URL permits a probe. */
  isAllowed(url: string): boolean {
    return this.guard.checkUrl(url).ok;
  }

  /** Never rejects because of the receiver. */
  probe(url: string, message = probeMessage, access?: RequestAccess): Promise<ProbeOutcome> {
    const { headers = {}, hasClientCertificate = false } = access ?? {};
    const shown = { headers: { ...headers, ...message.headers }, showsCertificate: hasClientCertificate };
    return this.prober.send(url, { ...message, ...shown }, this.limits);
  }
}

const probesTotal = counter('paycode_notification_config_url_probes_total', 'Probes of webhook URLs by outcome.', ['outcome']);

/** Waits for another probe of the same merchant, in milliseconds: about 3 seconds in all. */
const turnWaitsMs = [50, 100, 200, 400, 800, 1_500];

/** Flow: URL -> permitted? -> limits -> one probe. */
@Injectable()
export class ValidateUrlService {
  constructor(
    private readonly urlProbe: UrlProbe,
    private readonly budget: ProbeBudget,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves when the receiver answered the probe with 200. @throws DomainError 400 with a coarse reason, 429, 503 */
  async validate(request: ProbeRequest): Promise<void> {
    const outcome = await this.probe(request);
    if (outcome.detail === 'OUR_FAULT') throw probeNotPossible();
    if (outcome.reason) throw validationFailed(outcome.reason, explanationOf(outcome));
  }

  /** The detailed outcome, for the owner of the URL. @throws DomainError 400 for a URL that is not allowed, 429 */
  async probe(request: ProbeRequest): Promise<ProbeOutcome> {
    if (!this.urlProbe.isAllowed(request.url)) throw validationFailed('not allowed');
    const permit = await this.permitFor(request);
    if (!permit.ok) throw tooManyProbes(permit.retryAfterMs);
    try {
      const probed = await this.urlProbe.probe(request.url, request.message, request.access);
      const { merchantId, caller } = request;
      const outcome = probed.detail ?? 'ACCEPTED';
      probesTotal.inc({ outcome });
      const fields = { event: 'url-probed', merchantId, caller, outcome, durationMs: probed.timings.totalMs };
      this.log.info(fields, 'webhook URL probed');
      return probed;
    } finally {
      await this.budget.release(request.merchantId, permit.probeId);
    }
  }

  /** Serialises concurrent calls for one merchant; the wait for a hanging probe is short. */
  private async permitFor(request: ProbeRequest): Promise<ProbePermit> {
    for (const waitMs of turnWaitsMs) {
      const permit = await this.budget.take(request);
      if (permit.ok || !permit.isInFlight) return permit;
      await pause(waitMs);
    }
    return this.budget.take(request);
  }
}

/** R-7-7; the class of failure, where there is one to tell, is a problem of the field. */
function validationFailed(reason: CoarseReason, explanation?: string): DomainError {
  const errors = explanation === undefined ? undefined : [{ field: 'url', message: explanation }];
  return new DomainError({ status: 400, reason: 'URL_VALIDATION', message: `URL validation failed: ${reason}`, errors });
}

function tooManyProbes(retryAfterMs: number): DomainError {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return new DomainError({ status: 429, reason: 'PROBE_CAP', message: 'Too many URL validations', headers });
}

/** A fault of the platform, for which the receiver is not to blame. */
function probeNotPossible(): DomainError {
  const headers = { 'retry-after': '5' };
  return new DomainError({ status: 503, reason: 'PROBE_NOT_POSSIBLE', message: 'Service Unavailable', headers });
}
