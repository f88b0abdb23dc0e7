import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';
import { StartedProcess } from '../testing/own-platform.ts';

/** The rules that k8s/ ships, as Prometheus reads them. */

/** One file of rules for Prometheus. */
interface RuleFile {
  name: string;
  spec: RuleGroups;
}

interface RuleGroups {
  groups: { name: string; rules: Rule[] }[];
}

interface Rule {
  /** Undefined: a recording rule. */
  alert?: string;
  expr: string;
  labels?: { severity?: string };
}

/** Series of programs that only a cluster has, by how their names begin. */
const ofTheCluster: readonly [prefix: RegExp, what: string][] = [[/\bkube_/, 'kube-state-metrics']];

/** The software that the components of k8s/ other than `monitoring` watch, by folder. */
const ofComponents: Record<string, string> = {
  keda: 'KEDA',
  'kafka-strimzi': 'Kafka under Strimzi',
  'postgres-cnpg': 'PostgreSQL under CloudNativePG',
};

/** The alerts of a game day, and those that cannot exist on one. */
export type ShippedAlerts = ReturnType<typeof shippedAlerts>;

/** Reads `k8s/components`; the rules of `monitoring` are taken as the alert files of the chart have them, with `for:` and windows. */
export function shippedAlerts(components: string) {
  const files = filesIn(join(components, '../charts/paycode/alerts'));
  // Names, with the severity of each, and with what they would need.
  const [played, elsewhere] = [new Map<string, string>(), new Map<string, string>()];
  for (const { alert, expr, labels } of files.flatMap(alertsOf)) {
    const needed = ofTheCluster.find(([prefix]) => prefix.test(expr));
    if (needed) elsewhere.set(alert, needed[1]);
    else played.set(alert, labels?.severity ?? 'none');
  }
  for (const [folder, what] of Object.entries(ofComponents))
    for (const { alert } of filesIn(join(components, folder, 'alerts')).flatMap(alertsOf)) elsewhere.set(alert, what);
  return { files, played, elsewhere };
}

function alertsOf({ spec }: RuleFile): (Rule & { alert: string })[] {
  return spec.groups.flatMap(({ rules }) => rules).filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
}

function filesIn(folder: string): RuleFile[] {
  return readdirSync(folder).map(file => ({
    name: basename(file, '.yaml'),
    spec: parse(readFileSync(join(folder, file), 'utf8')) as RuleGroups,
  }));
}

interface ScrapeOptions {
  /** Base URLs of the internal listeners, by service. */
  internal: Readonly<Record<string, string>>;
  namespace: string;
  /** An overlay sets it in a cluster. */
  environment: string;
  ruleFiles: readonly string[];
}

/**
 * Interval and labels are those of the monitors that k8s/ ships, which `prove -- manifests` judges. It differs from a cluster in this: plain HTTP, one
 * instance of each service, no labels `pod` and `container`.
 */
export function prometheusConfig({ internal, namespace, environment, ruleFiles }: ScrapeOptions): object {
  const targets = Object.entries(internal).map(([service, url]) => ({
    targets: [new URL(url).host],
    labels: { service, platform: 'paycode', namespace, environment },
  }));
  return {
    global: { scrape_interval: '15s', evaluation_interval: '15s' },
    rule_files: ruleFiles,
    scrape_configs: [{ job_name: 'paycode', static_configs: targets }],
  };
}

/** A real Prometheus (Debian package `prometheus`) on a folder and a port of its own. */

interface PrometheusOptions {
  folder: string;
  config: object;
  ruleFiles: readonly { name: string; spec: object }[];
  /** OpenMetrics text of the time before. */
  history: string;
}

interface Sample {
  metric: Record<string, string>;
  /** Unix time in seconds, and the value. */
  values: [number, string][];
}

/** Where the rules of that name stand below `folder`. */
export const ruleFileOf = (folder: string, name: string) => join(folder, `${name}.rules.yaml`);

export class Prometheus {
  private readonly url: string;
  private readonly process: StartedProcess;

  private constructor(url: string, started: StartedProcess) {
    this.url = url;
    this.process = started;
  }

  static async start({ folder, config, ruleFiles, history }: PrometheusOptions): Promise<Prometheus> {
    for (const { name, spec } of ruleFiles) writeFileSync(ruleFileOf(folder, name), stringify(spec));
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
    const past = join(folder, 'history.om');
    writeFileSync(past, history);
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', past, join(folder, 'tsdb')], { stdio: 'pipe' });
    const address = `127.0.0.1:${await freePort()}`;
    const own = [`--config.file=${join(folder, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const args = [...own, `--web.listen-address=${address}`];
    const [started] = await StartedProcess.start({
      command: 'prometheus',
      args,
      ready: /Server is ready to receive web requests/,
    });
    return new Prometheus(`http://${address}`, started);
  }

  /** Values of an expression at every 15 s between two instants (Unix time in seconds). */
  async range(query: string, fromS: number, toS: number): Promise<Sample[]> {
    const parameters = new URLSearchParams({ query, start: String(fromS), end: String(toS), step: '15' });
    const answer = await fetch(`${this.url}/api/v1/query_range?${parameters.toString()}`);
    if (!answer.ok) throw new Error(`Prometheus answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: { result: Sample[] } }).data.result;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}

/**
 * A calm day before the game day. Alerts compare with the day before and look at windows of an hour or more: on an empty Prometheus every
 * fault would be the whole of its history, and fire sooner than on one that has run for a while.
 */

interface CalmHistory {
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
