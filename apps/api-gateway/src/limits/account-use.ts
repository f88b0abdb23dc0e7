import { BoundedMap } from '@paycode/service-runtime/timing';
import { scrapedGauge } from '@paycode/service-runtime/metrics';

const minuteMs = 60_000;
const accountsMax = 50_000;
/** The alert AccountNearsLimit begins here too. */
const highShare = 0.8;

/**
 * How much of its rate the busiest account used in the last minute, so that operators act before it meets its limit. The metric has no label, because accounts are
 * many: the log names the account.
 */
export class AccountUse {
  private readonly used = new BoundedMap<string, { count: number; perS: number }>(accountsMax);
  private minute = 0;
  private highest = 0;

  /** `onHigh` is called once a minute at most. */
  constructor(private readonly onHigh: (account: string, share: number) => void) {}

  /** `perS`: what the account may do now; `nowMs`: monotonic time. */
  count(account: string, perS: number, nowMs: number): void {
    this.turn(nowMs);
    this.used.set(account, { count: (this.used.get(account)?.count ?? 0) + 1, perS });
  }

  /** Share of the busiest account in the last whole minute; above 1 when some of its requests were refused. */
  share(nowMs: number): number {
    this.turn(nowMs);
    return this.highest;
  }

  private turn(nowMs: number): void {
    const minute = Math.floor(nowMs / minuteMs);
    if (minute === this.minute) return;
    const last = minute === this.minute + 1 ? [...this.used] : [];
    const shares = last.map(([name, { count, perS }]): [string, number] => [name, (count * 1_000) / (perS * minuteMs)]);
    const [account, share] = shares.reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0]);
    this.used.clear();
    this.minute = minute;
    this.highest = share;
    if (this.highest > highShare) this.onHigh(account, this.highest);
  }
}

/** Shows the share at each scrape. */
export function showUse(use: AccountUse): void {
  const help = 'Share of its requests per second that the busiest account used in the last minute, at this gateway.';
  scrapedGauge({ name: 'paycode_api_gateway_account_limit_used', help }, gauge => gauge.set(use.share(performance.now())));
}
