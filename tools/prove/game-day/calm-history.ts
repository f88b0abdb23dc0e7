/**
 * A calm day before the game day. Alerts compare with the day before and look at windows of an hour or more: on an empty Prometheus every
 * fault would be the whole of its history, and fire sooner than on one that has run for a while.
 */

export interface CalmHistory {
  namespace: string;
  environment: string;
  services: readonly string[];
  /** Unix times, in seconds. */
  fromS: number;
  toS: number;
  /** Merchants that are paid, and payments of them all in a second. */
  merchants: number;
  paymentsPerS: number;
}

/** The series' step, in seconds: that of scraping, so that an average over a window weighs history and play alike. */
const stepS = 15;
/** In calm, one payment of so many is reversed: some merchant always fails. */
const reversedShare = 0.02;
/** The history is another instance than the platform of the play, as before a roll-out. */
const instance = 'yesterday:0';

type Series = [labels: Record<string, string>, valueAt: (elapsedS: number) => number];

/** OpenMetrics text for `promtool tsdb create-blocks-from openmetrics`. */
export function calmHistory(history: CalmHistory): string {
  const families = familiesOf(history);
  return `${families.map(family => familyText(history, family)).join('\n')}\n# EOF\n`;
}

type Family = [name: string, type: 'counter' | 'gauge', series: Series[]];

function familiesOf({ services, merchants, paymentsPerS }: CalmHistory): Family[] {
  const constant = (value: number) => () => value;
  const growing = (perS: number) => (elapsedS: number) => elapsedS * perS;
  const acknowledged = growing(paymentsPerS * (1 - reversedShare));
  const dispatcher = { service: 'webhook-dispatcher', instance };
  const scheduler = { service: 'reversal-scheduler', instance };
  const gateway = { service: 'api-gateway', instance };
  return [
    ['up', 'gauge', services.map((service): Series => [{ platform: 'paycode', service, instance }, constant(1)])],
    ['paycode_webhook_dispatcher_merchants_served', 'gauge', [[dispatcher, constant(merchants)]]],
    ['paycode_webhook_dispatcher_merchants_failing', 'gauge', [[dispatcher, constant(0)]]],
    ['paycode_reversal_scheduler_oldest_overdue_seconds', 'gauge', [[scheduler, constant(0)]]],
    // Recorded by a rule, which has not run in that time.
    ['paycode:decisions_overdue:bool', 'gauge', [[{}, constant(0)]]],
    [
      'paycode_reversal_scheduler_decisions_total',
      'counter',
      [
        [{ ...scheduler, decision: 'SETTLED' }, acknowledged],
        [{ ...scheduler, decision: 'REVERSED' }, growing(paymentsPerS * reversedShare)],
      ],
    ],
    ['paycode_webhook_dispatcher_acknowledgements_total', 'counter', [[dispatcher, acknowledged]]],
    [
      'paycode_reversal_scheduler_acknowledgement_to_settled_seconds_bucket',
      'gauge',
      [[{ ...scheduler, le: '5' }, acknowledged]],
    ],
    ['paycode_api_gateway_requests_total', 'counter', [[{ ...gateway, status: '200' }, growing(2 * paymentsPerS)]]],
    ['paycode_api_gateway_requests_failed_total', 'counter', [[gateway, constant(0)]]],
  ];
}

function familyText({ namespace, environment, fromS, toS }: CalmHistory, [name, type, series]: Family): string {
  const lines = [`# TYPE ${type === 'counter' ? name.replace(/_total$/, '') : name} ${type}`];
  for (const [own, valueAt] of series) {
    const labels = Object.entries({ namespace, environment, ...own }).map(([label, value]) => `${label}="${value}"`);
    for (let at = fromS; at <= toS; at += stepS) lines.push(`${name}{${labels.join(',')}} ${valueAt(at - fromS)} ${at}`);
  }
  return lines.join('\n');
}
