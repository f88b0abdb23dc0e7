import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { CoarseReason, ProbeOutcome } from '@paycode/safe-http';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { counter } from '@paycode/metrics';
import { explanationOf } from './failure-class';
import { ProbeBudget, type ProbePermit, type ProbeRequest, UrlProbe } from './probing.ports';

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
      const outcome = await this.urlProbe.probe(request.url, request.message);
      probesTotal.inc({ outcome: outcome.detail ?? 'ACCEPTED' });
      this.log.info(
        {
          event: 'url-probed',
          merchantId: request.merchantId,
          caller: request.caller,
          outcome: outcome.detail ?? 'ACCEPTED',
          durationMs: outcome.timings.totalMs,
        },
        'webhook URL probed',
      );
      return outcome;
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
  return new DomainError({
    status: 400,
    reason: 'URL_VALIDATION',
    message: `URL validation failed: ${reason}`,
    ...(errors && { errors }),
  });
}

function tooManyProbes(retryAfterMs: number): DomainError {
  return new DomainError({
    status: 429,
    reason: 'PROBE_CAP',
    message: 'Too many URL validations',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) },
  });
}

/** A fault of the platform, for which the receiver is not to blame. */
function probeNotPossible(): DomainError {
  const headers = { 'retry-after': '5' };
  return new DomainError({ status: 503, reason: 'PROBE_NOT_POSSIBLE', message: 'Service Unavailable', headers });
}
