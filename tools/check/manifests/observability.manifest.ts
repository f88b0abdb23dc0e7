import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { readDeclarations } from '../../run/build/generated-pages';
import { type Policy, render, renderWithBase } from './render';

const root = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const alertFiles = [
  'k8s/charts/paycode/alerts/paycode.yaml',
  'k8s/charts/paycode/alerts/service-levels.yaml',
  'k8s/components/keda/alerts/keda.yaml',
  'k8s/components/postgres-cnpg/alerts/postgres.yaml',
  'k8s/components/kafka-strimzi/alerts/kafka.yaml',
];
const tests = readdirSync(join(root, 'k8s/tests/alerts')).map(file => `k8s/tests/alerts/${file}`);
const dashboards = readdirSync(join(root, 'k8s/charts/paycode/dashboards'))
  .filter(file => file.endsWith('.json'))
  .map(file => `k8s/charts/paycode/dashboards/${file}`);
/** Of one transaction: traces and log lines, no metrics. */
const ofTransaction = 'k8s/charts/paycode/dashboards/transaction.json';
const ofMetrics = dashboards.filter(file => file !== ofTransaction);

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}
interface Rules {
  groups: { rules: (Alert | { record: string; expr: string })[] }[];
}
interface RuleTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] }[] }[];
}
interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string }[] };
  panels: {
    id: number;
    title: string;
    datasource: { uid: string };
    targets: { expr: string; query?: string; datasource: { uid: string } }[];
    gridPos: { x: number; y: number };
  }[];
}
const rules = alertFiles.flatMap(file =>
  (parse(read(file)) as Rules).groups.flatMap(group => group.rules.filter(rule => 'alert' in rule)),
);
const promtool = (...args: string[]) =>
  execFileSync('promtool', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Sentences that name the file to change. */
function problemsOf({ alert, labels, annotations }: Alert): string[] {
  const { description, summary, runbook_url: runbook = '' } = annotations;
  // A path in this repository; components/runbooks sets what stands before it.
  const isRunbook = /^k8s\/runbooks\/[a-z-]+\.md$/.test(runbook) && existsSync(join(root, runbook));
  const isNamedIn = (path: string) => new RegExp(`\\b${alert}\\b`).test(read(path));
  const rulesOfAlerts: [boolean, string][] = [
    [/^(page|ticket)$/.test(labels.severity), 'its severity must be page or ticket'],
    [
      Boolean(description && summary) && Object.keys(annotations).length === 3,
      'it needs summary, description and runbook_url alone',
    ],
    [isRunbook, `its runbook_url must be a file like k8s/runbooks/service-down.md, and there is no ${runbook}`],
    // A reader who comes from the list of runbooks, and one who comes from the alert, find the same page.
    [!isRunbook || isNamedIn(runbook), `${runbook} must name it`],
    [isNamedIn('k8s/README.md'), 'its runbook must have a row that names it in the table Runbooks of k8s/README.md'],
  ];
  return rulesOfAlerts.flatMap(([isKept, problem]) => (isKept ? [] : [`${alert}: ${problem}`]));
}

describe('alerts', () => {
  it('are valid rules', () => {
    expect(promtool('check', 'rules', ...alertFiles)).toContain('SUCCESS');
  });

  it('fire when they must and stay silent when they must, each in a case of its own', () => {
    expect(promtool('test', 'rules', ...tests)).toContain('SUCCESS');
    const cases = tests.flatMap(file => (parse(read(file)) as RuleTests).tests.flatMap(test => test.alert_rule_test));
    const tested = (isFiring: boolean) =>
      cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname);
    const without = (isFiring: boolean) => rules.map(({ alert }) => alert).filter(name => !tested(isFiring).includes(name));
    const missing = [
      ...without(true).map(name => `${name}: no case of k8s/tests/alerts in which it fires`),
      ...without(false).map(name => `${name}: no case of k8s/tests/alerts in which it stays silent (exp_alerts: [])`),
    ];
    expect(missing).toEqual([]);
  });

  it('tell of each service of base that is gone', () => {
    const { expr } = rules.find(({ alert }) => alert === 'ServiceGone')!;
    const watched = [...expr.matchAll(/service="([a-z-]+)"/g)].map(match => match[1]!);
    const services = render('k8s/base').filter(({ kind }) => kind === 'Deployment');
    expect(watched.sort()).toEqual(services.map(({ metadata }) => metadata.name).sort());
  });

  it('have a severity, a description, a runbook that names them, and a row in the table of runbooks', () =>
    expect(rules.flatMap(problemsOf)).toEqual([]));

  it('keep namespace and environment, so that they reach the team of that environment', () => {
    for (const { alert, expr } of rules) {
      const groupings = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(match => match[1]!);
      // Of the metrics of nodes, which know no environment, and of absent metrics, the alert adds it.
      const isGiven =
        (expr.includes('label_replace') && expr.includes('"environment"')) || expr.includes('group_left (environment)');
      const isKept = groupings.every(labels => labels.includes('namespace') && (isGiven || labels.includes('environment')));
      const isRecorded = groupings.length === 0 && expr.includes('paycode:');
      expect({ alert, isKept, hasGrouping: groupings.length > 0 || isGiven || isRecorded }).toEqual({
        alert,
        isKept: true,
        hasGrouping: true,
      });
    }
  });

  it('are shown with both labels, each in a case', () => {
    const cases = tests.flatMap(file => (parse(read(file)) as RuleTests).tests.flatMap(test => test.alert_rule_test));
    const labelled = cases
      .filter(({ exp_alerts }) => exp_alerts.some(({ exp_labels }) => exp_labels['namespace'] && exp_labels['environment']))
      .map(({ alertname }) => alertname);
    expect(rules.map(({ alert }) => alert).filter(name => !labelled.includes(name))).toEqual([]);
  });

  it('point where the component runbooks says, once it is set', () => {
    const folder = mkdtempSync(join(root, 'k8s/.render-'));
    try {
      const component = read('k8s/components/runbooks/kustomization.yaml').replace('at=k8s', 'at=https://host.invalid/at/v1/k8s');
      for (const name of ['place', 'all']) mkdirSync(join(folder, name));
      writeFileSync(join(folder, 'place/kustomization.yaml'), component);
      const components = ['monitoring', 'keda', 'kafka-strimzi', 'postgres-cnpg'].map(name => `../../components/${name}`);
      const all = { resources: ['../../base'], components: [...components, '../place'] };
      writeFileSync(join(folder, 'all/kustomization.yaml'), JSON.stringify(all));
      const places = render(relative(root, join(folder, 'all')))
        .filter(({ kind }) => kind === 'PrometheusRule')
        .flatMap(({ spec }) => (spec as Rules).groups.flatMap(group => group.rules))
        .flatMap(rule => ('alert' in rule ? [rule.annotations['runbook_url']!] : []));
      expect(places.map(place => place.replace('https://host.invalid/at/v1/', '')).sort()).toEqual(
        rules.map(({ annotations }) => annotations['runbook_url']!).sort(),
      );
      expect(places.filter(place => !place.startsWith('https://host.invalid/at/v1/k8s/runbooks/'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('dashboards', () => {
  it.each(dashboards)('%s has one identity, and panels that do not cover each other', file => {
    const { uid, title, panels } = JSON.parse(read(file)) as Dashboard;
    expect(dashboards.filter(other => (JSON.parse(read(other)) as Dashboard).uid === uid)).toEqual([file]);
    expect(title).toMatch(/^Paycode: /);
    const places = panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
    expect([new Set(panels.map(({ id }) => id)).size, new Set(places).size]).toEqual([panels.length, panels.length]);
  });

  it.each(ofMetrics)('%s can be read per data source, environment and namespace, and shows 0 where nothing was counted', file => {
    const { templating, panels } = JSON.parse(read(file)) as Dashboard;
    const names = templating.list.map(({ name }) => name);
    expect(names.filter(name => name !== 'cell')).toEqual(['datasource', 'environment', 'namespace']);
    for (const { title, datasource, targets } of panels)
      for (const target of targets) {
        expect([title, datasource.uid, target.datasource.uid]).toEqual([title, '${datasource}', '${datasource}']);
        const selectors = [...target.expr.matchAll(/\b(?:paycode|nodejs|process)_[a-z0-9_]+(\{[^}]*\})?/g)].map(
          match => match[0],
        );
        const wanted = 'namespace=~"$namespace",environment=~"$environment"}';
        const isOfCells = (selector: string) => /^paycode_(webhook_dispatcher|reversal_scheduler|events)_/.test(selector);
        const isFree = (selector: string) =>
          !selector.endsWith(isOfCells(selector) && names.includes('cell') ? `cell=~"$cell",${wanted}` : wanted);
        expect({ title, isFree: selectors.filter(isFree) }).toEqual({ title, isFree: [] });
        const isCount = /\b(rate|increase)\(/.test(target.expr) && !target.expr.includes('histogram_quantile');
        if (isCount) expect(target.expr).toMatch(/ or (on\(\) )?vector\(0\)$/);
      }
  });

  it('that of one transaction asks for that transaction only, each source by a variable', () => {
    const { templating, panels } = JSON.parse(read(ofTransaction)) as Dashboard;
    expect(templating.list.map(({ name }) => name)).toEqual(['transaction', 'namespace', 'traces', 'logs']);
    const asked = panels.flatMap(({ targets }) => targets.map(({ expr, query, datasource }) => [datasource.uid, query ?? expr]));
    expect(asked).toEqual([
      ['${traces}', '{ span.paycode.transaction_id = "$transaction" }'],
      ['${logs}', '{namespace=~"$namespace"} |= "$transaction" | json | transactionId = "$transaction"'],
    ]);
  });

  it('every query parses as PromQL', () => {
    const queries = ofMetrics.flatMap(file =>
      (JSON.parse(read(file)) as Dashboard).panels.flatMap(panel => panel.targets.map(({ expr }) => expr)),
    );
    expect(queries.length).toBeGreaterThan(20);
    // promtool has no offline query check: a recording rule takes any expression it can parse.
    const recorded = { groups: [{ name: 'panels', rules: queries.map((expr, index) => ({ record: `panel:${index}`, expr })) }] };
    const file = join(mkdtempSync(join(tmpdir(), 'paycode-panels-')), 'rules.yaml');
    writeFileSync(file, JSON.stringify(recorded));
    const output = promtool('check', 'rules', file);
    rmSync(dirname(file), { recursive: true });
    expect(output).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

const key = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const environment = readDeclarations().settings;

interface ConfigMap {
  data: Record<string, string>;
}
describe('component tracing', () => {
  const resources = renderWithBase('components/tracing');
  const endpoints = new Map<string, URL>();
  for (const resource of resources.filter(({ kind }) => kind === 'ConfigMap')) {
    const { data } = resource as unknown as ConfigMap;
    if (data[key]) endpoints.set(resource.metadata.name.replace(/-[a-z0-9]{10}$/, ''), new URL(data[key]));
  }
  const policy = resources.find(({ metadata }) => metadata.name === 'allow-traces')!.spec as Policy;

  it('gives the collector to every service that traces and runs in production', () => {
    const tracing = Object.keys(environment).filter(service => key in environment[service]! && service !== 'payment-simulator');
    expect([...endpoints.keys()].sort()).toEqual(tracing.sort());
  });

  it('lets exactly those services reach it, on the port in their settings', () => {
    const named = policy.podSelector.matchExpressions![0]!.values!;
    expect(named.filter(name => !name.endsWith('-cell')).sort()).toEqual([...endpoints.keys()].sort());
    const [{ to, ports }] = policy.egress as [NonNullable<Policy['egress']>[number]];
    expect(to).toEqual([{ namespaceSelector: { matchLabels: { 'paycode.dev/provides': 'tracing' } } }]);
    for (const url of endpoints.values()) expect(ports).toEqual([{ protocol: 'TCP', port: Number(url.port) }]);
  });
});
