import {
  type OutboundGuard,
  type ProbeLimits,
  type ProbeMessage,
  type ProbeOutcome,
  UrlProber,
  userAgent,
} from '@paycode/safe-http';
import { UrlProbe } from '../probing.ports';

/** The one-field body of spec 2.6 (R-2.6-1, A-50). */
const probeBody = { result: 'TEST' };

export class GuardedUrlProbe extends UrlProbe {
  private readonly prober: UrlProber;

  constructor(
    private readonly guard: OutboundGuard,
    private readonly limits: ProbeLimits,
  ) {
    super();
    this.prober = new UrlProber(guard, userAgent);
  }

  override isAllowed(url: string): boolean {
    return this.guard.checkUrl(url).ok;
  }

  override probe(url: string, message?: ProbeMessage): Promise<ProbeOutcome> {
    return message ? this.prober.send(url, message, this.limits) : this.prober.probe(url, probeBody, this.limits);
  }
}
