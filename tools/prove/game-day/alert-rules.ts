/** The rules that k8s/ ships, as Prometheus reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

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

/** The alerts of a game day, and those that cannot exist on one. */
export interface ShippedAlerts {
  files: RuleFile[];
  /** Names, with the severity of each. */
  played: ReadonlyMap<string, string>;
  /** Names, with what they would need. */
  elsewhere: ReadonlyMap<string, string>;
}

/** Series of programs that only a cluster has, by how their names begin. */
const ofTheCluster: readonly [prefix: RegExp, what: string][] = [[/\bkube_/, 'kube-state-metrics']];

/** The software that the components of k8s/ other than `monitoring` watch, by folder. */
const ofComponents: Record<string, string> = {
  keda: 'KEDA',
  'kafka-strimzi': 'Kafka under Strimzi',
  'postgres-cnpg': 'PostgreSQL under CloudNativePG',
};

/** Reads `k8s/components`; the rules of `monitoring` are taken as its alert files have them, with `for:` and windows. */
export function shippedAlerts(components: string): ShippedAlerts {
  const files = filesIn(join(components, 'monitoring/alerts'));
  const played = new Map<string, string>();
  const elsewhere = new Map<string, string>();
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
